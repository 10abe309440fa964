/** A user of OkHttp who writes Java, with modules. */
module dev.reprise.samples.okhttp {
    requires dev.reprise.okhttp;
    requires jdk.httpserver;
    requires okhttp3;
}
