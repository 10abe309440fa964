package dev.reprise.lab.demo

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.request
import io.ktor.http.HttpMethod
import kotlinx.coroutines.future.await
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import io.ktor.client.HttpClient as KtorClient

/** An ordinary client of `java.net.http`; it knows nothing of retries. */
internal class Client(val address: String) {
    val http: HttpClient = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

    fun request(method: String, path: String): HttpRequest =
        HttpRequest.newBuilder(URI(address + path)).method(method, BodyPublishers.noBody()).build()

    suspend fun send(method: String, path: String): Answer =
        Answer(http.sendAsync(request(method, path), BodyHandlers.discarding()).await())
}

/** A response of `java.net.http` as the classifiers see it. */
internal class Answer(private val response: HttpResponse<Void>) : HttpOutcome() {
    override val status: Int get() = response.statusCode()

    override val receivedAtEpochMillis: Long = System.currentTimeMillis()

    override fun header(name: String): String? = response.headers().firstValue(name).orElse(null)

    override fun toString(): String = "$status ${reasonPhrase(status)}"
}

/** The demo's calls as a user of Ktor writes them: the client retries, and the code around it does not know. */
internal object KtorCalls {
    suspend fun call(retrier: Retrier, method: String, url: String) {
        val client = KtorClient(CIO) {
            install(Retry) { retriers = RetrierCache(1) { retrier } }
        }
        client.use { it.request(url) { this.method = HttpMethod.parse(method) } }
    }

    /** The first request of all takes its time, and that is not what is shown. */
    suspend fun warmUp(url: String) {
        KtorClient(CIO).use { it.request(url) }
    }
}
