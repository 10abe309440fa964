package dev.reprise.ktor

import io.ktor.client.HttpClient

/** Adds what an engine lacks. Names no class of an engine, so that none is needed but the client's own. */
internal object EngineCuts {
    private const val APACHE5 = "io.ktor.client.engine.apache5.Apache5EngineConfig"

    fun install(client: HttpClient) {
        if (client.engine.config.javaClass.name == APACHE5) Apache5Cuts.install(client)
    }
}
