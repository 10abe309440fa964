/** The retry engine. */
module dev.reprise.core {
    requires transitive kotlin.stdlib;
    // Only for SqlErrors, which meets no exception of it where it is absent.
    requires static java.sql;

    exports dev.reprise.core;
    exports dev.reprise.core.backoff;
    exports dev.reprise.core.call;
    exports dev.reprise.core.check to
            dev.reprise.presets;
    exports dev.reprise.core.classify;
    exports dev.reprise.core.hedge;
    exports dev.reprise.core.http;
    exports dev.reprise.core.layers;
    exports dev.reprise.core.machine;
    exports dev.reprise.core.quota;
    exports dev.reprise.core.rate;
    exports dev.reprise.core.shell;
    exports dev.reprise.core.text;
    exports dev.reprise.core.time;
}
