/** Retry events as OpenTelemetry spans. */
module dev.reprise.opentelemetry {
    requires transitive dev.reprise.coroutines;
    requires transitive io.opentelemetry.api;
    requires transitive io.opentelemetry.context;

    exports dev.reprise.opentelemetry;
}
