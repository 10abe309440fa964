/** Retry events as Micrometer meters. */
module dev.reprise.micrometer {
    requires transitive dev.reprise.coroutines;
    requires transitive micrometer.core;
}
