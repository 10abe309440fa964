/** Retries for the Ktor client. */
module dev.reprise.ktor {
    requires transitive dev.reprise.coroutines;
    requires transitive io.ktor.client.core;
    requires kotlinx.io.core;
    requires static io.ktor.client.apache5;
    requires static org.apache.httpcomponents.client5.httpclient5;
    requires static org.apache.httpcomponents.core5.httpcore5;

    exports dev.reprise.ktor;
}
