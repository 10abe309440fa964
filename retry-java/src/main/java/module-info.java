/** Retries for blocking calls and for futures. */
module dev.reprise.java {
    requires transitive dev.reprise.coroutines;
    requires static transitive java.net.http;

    exports dev.reprise.java;
    exports dev.reprise.java.http;
}
