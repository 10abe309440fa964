/** Retries for gRPC. */
module dev.reprise.grpc {
    requires transitive dev.reprise.java;
    requires transitive io.grpc;

    exports dev.reprise.grpc;
}
