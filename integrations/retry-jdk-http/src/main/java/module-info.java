/** Retries for the HTTP client of the JDK. */
module dev.reprise.jdkhttp {
    requires transitive dev.reprise.java;
    requires transitive java.net.http;

    exports dev.reprise.jdkhttp;
}
