/** A plugin of the Ktor server, so that retries of layers do not multiply. */
module dev.reprise.ktor.server {
    requires transitive dev.reprise.coroutines;
    requires transitive io.ktor.server.core;

    exports dev.reprise.ktor.server;
}
