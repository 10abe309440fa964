/** Retry policies by name, from JSON documents and from AWS settings. */
module dev.reprise.presets {
    requires transitive dev.reprise.core;
    requires transitive kotlinx.serialization.json;

    exports dev.reprise.presets;
    exports dev.reprise.presets.botocore;
    exports dev.reprise.presets.clock;
    exports dev.reprise.presets.config;
    exports dev.reprise.presets.document;
    exports dev.reprise.presets.sdk;
}
