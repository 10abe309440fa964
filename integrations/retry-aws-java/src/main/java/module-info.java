/** Reprise inside the AWS SDK for Java 2.x. */
module dev.reprise.aws.java {
    requires transitive dev.reprise.presets;
    requires transitive dev.reprise.java;
    requires transitive software.amazon.awssdk.retries.api;
    requires transitive software.amazon.awssdk.core;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.retries;
    requires software.amazon.awssdk.utils;
    requires java.xml;

    exports dev.reprise.aws.java;
}
