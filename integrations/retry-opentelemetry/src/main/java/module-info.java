/** Retry events for OpenTelemetry. */
module dev.reprise.opentelemetry {
    requires transitive dev.reprise.coroutines;
    requires transitive io.opentelemetry.api;
}
