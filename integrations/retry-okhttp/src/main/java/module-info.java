/** Retries for OkHttp. */
module dev.reprise.okhttp {
    requires transitive dev.reprise.java;
    requires transitive okhttp3;
    requires okio;
    requires static retrofit2;

    exports dev.reprise.okhttp;
}
