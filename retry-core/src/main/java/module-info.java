/** The retry engine. */
module dev.reprise.core {
    requires transitive kotlin.stdlib;
    // Only for SqlErrors, which meets no exception of it where it is absent.
    requires static java.sql;
    // Only on Android, which has no modules.
    requires static java.logging;

    exports dev.reprise.core;
    // For those who write a shell: may change in a minor version.
    exports dev.reprise.core.shell;
    exports dev.reprise.core.shell.call;
    exports dev.reprise.core.shell.http;
    exports dev.reprise.core.shell.layers;
    exports dev.reprise.core.shell.machine;
    exports dev.reprise.core.shell.quota;
    exports dev.reprise.core.shell.rate;
    exports dev.reprise.core.shell.text;
    exports dev.reprise.core.shell.time;
    exports dev.reprise.core.shell.values;
}
