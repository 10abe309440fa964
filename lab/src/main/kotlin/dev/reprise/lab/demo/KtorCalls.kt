package dev.reprise.lab.demo

import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.request
import io.ktor.http.HttpMethod

/** The demo's calls as a user of Ktor writes them: the client retries, and the code around it does not know. */
internal object KtorCalls {
    suspend fun call(retrier: Retrier, method: String, url: String) {
        val client = HttpClient(CIO) {
            install(Retry) { retriers = RetrierCache(1) { retrier } }
        }
        client.use { it.request(url) { this.method = HttpMethod.parse(method) } }
    }

    /** The first request of all takes its time, and that is not what is shown. */
    suspend fun warmUp(url: String) {
        HttpClient(CIO).use { it.request(url) }
    }
}
