/** Retry events as OpenTelemetry spans. */
module dev.reprise.opentelemetry {
    requires transitive dev.reprise.coroutines;
    requires transitive io.opentelemetry.api;
    requires transitive io.opentelemetry.context;
    // Only for ResendCount, which the SDK's user adds to the SDK.
    requires static io.opentelemetry.sdk.trace;
    requires static io.opentelemetry.sdk.common;

    exports dev.reprise.opentelemetry;
}
