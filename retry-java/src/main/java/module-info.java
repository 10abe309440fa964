/** Retries for blocking calls and for futures. */
module dev.reprise.java {
    requires transitive dev.reprise.coroutines;

    exports dev.reprise.java;
    exports dev.reprise.java.internal to
            dev.reprise.apachehttp,
            dev.reprise.grpc,
            dev.reprise.jdkhttp,
            dev.reprise.okhttp,
            dev.reprise.spring;
}
