/** Retries for suspend functions and flows. */
module dev.reprise.coroutines {
    requires transitive dev.reprise.core;
    requires transitive kotlinx.coroutines.core;

    exports dev.reprise.coroutines;
}
