/** Retries for Apache HttpClient 5. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Apache's jars have no descriptors.
module dev.reprise.apachehttp {
    requires transitive dev.reprise.java;
    requires transitive org.apache.httpcomponents.client5.httpclient5;
    requires transitive org.apache.httpcomponents.core5.httpcore5;

    exports dev.reprise.apachehttp;
}
