/** Retry events as Micrometer meters. */
module dev.reprise.micrometer {
    requires transitive dev.reprise.core;
    requires transitive micrometer.core;

    exports dev.reprise.micrometer;
}
