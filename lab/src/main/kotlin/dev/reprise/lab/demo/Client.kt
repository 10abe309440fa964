package dev.reprise.lab.demo

import dev.reprise.core.classify.HttpOutcome
import kotlinx.coroutines.future.await
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers

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
