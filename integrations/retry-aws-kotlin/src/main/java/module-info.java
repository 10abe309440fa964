/**
 * Retries inside the AWS SDK for Kotlin. The SDK's own jars share packages, so a program that uses it runs on the class
 * path.
 */
module dev.reprise.aws.kotlin {
    requires transitive dev.reprise.presets;
    requires transitive dev.reprise.coroutines;
    requires static transitive runtime.core.jvm;
    requires static transitive smithy.client.jvm;
    requires static http.jvm;
    requires static telemetry.api.jvm;

    exports dev.reprise.aws.kotlin;
}
