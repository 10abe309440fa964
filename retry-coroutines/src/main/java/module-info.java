/** Retries for suspend functions and flows. */
module dev.reprise.coroutines {
    requires transitive dev.reprise.core;
    requires transitive kotlinx.coroutines.core;

    exports dev.reprise.coroutines;
    // For those who write a shell: may change in a minor version.
    exports dev.reprise.coroutines.shell;
}
