/** Retries for the Ktor client. */
module dev.reprise.ktor {
    requires transitive dev.reprise.coroutines;
    requires transitive io.ktor.client.core;
    requires kotlinx.io.core;

    exports dev.reprise.ktor;
}
