package dev.reprise.conformance.laws

import dev.reprise.apachehttp.ApacheRetries
import dev.reprise.core.Backoff
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.okhttp.RetryInterceptor
import dev.reprise.okhttp.RetryingCallFactory
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.runBlocking
import okhttp3.OkHttpClient
import okhttp3.Request
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.core5.http.io.entity.EntityUtils
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import io.ktor.client.HttpClient as KtorClient

private const val APACHE = "Apache"
private val JDK = HttpClient.newHttpClient()
private val OKHTTP = OkHttpClient()
private val KTOR = CIO.create()

/** Each reads the endless body that its call ends with. OkHttp's close it, since none of our limits ends it there. */
private val CLIENTS: Map<String, (Retrier, URI) -> Unit> = mapOf(
    "java.net.http, send" to { retrier, uri ->
        RetryingHttpClient.around(JDK).retriers { JavaRetrier.sharing(retrier) }.build()
            .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
    },
    "java.net.http, sendAsync" to { retrier, uri ->
        RetryingHttpClient.around(JDK).retriers { JavaRetrier.sharing(retrier) }.build()
            .sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).get()
    },
    "OkHttp, interceptor" to { retrier, uri ->
        OKHTTP.newBuilder().addInterceptor(RetryInterceptor(JavaRetrier.sharing(retrier))).build()
            .newCall(Request.Builder().url(uri.toURL()).build()).execute().close()
    },
    "OkHttp, call factory" to { retrier, uri ->
        RetryingCallFactory(OKHTTP, JavaRetrier.sharing(retrier))
            .newCall(Request.Builder().url(uri.toURL()).build()).execute().close()
    },
    APACHE to { retrier, uri ->
        ApacheRetries.of(JavaRetrier.sharing(retrier)).addTo(HttpClients.custom()).build()
            .execute(ClassicRequestBuilder.get(uri).build()) { EntityUtils.toString(it.entity) }
    },
    "Ktor, CIO" to { retrier, uri ->
        val client = KtorClient(KTOR) { install(Retry) { retriers = RetrierCache(1) { retrier } } }
        runBlocking { client.get(uri.toURL()).bodyAsText() }
    },
)

/** Attempts that are cut off about when their response comes: it may be lost between two threads, and its connection with it. */
class CutOffLawTest :
    FunSpec({
        for ((client, call) in CLIENTS) {
            test("$client: the connection of each attempt that is cut off is closed") {
                FaultServer(Replies.endless(503)).use { server ->
                    var number = 0
                    // The limits grow, on a machine that is too slow for them.
                    while (server.served() < 25) {
                        val policy = RetryPolicy.HTTP.with {
                            maxAttempts = 2
                            backoff = Backoff.IMMEDIATE
                            attemptTimeout = (number % 10 + 1 + number / 50).milliseconds
                            quota = null
                        }
                        runCatching { call(Retrier(policy), server.uri()) }
                        number++
                    }
                    // CIO closes a socket in the next turn of its selector.
                    FaultServer(Replies.status(200, "good")).use { call(Retrier(RetryPolicy.HTTP), it.uri()) }
                    eventually(10.seconds) {
                        // Apache's client loses a socket if a cancellation comes while it makes one, with this library or without.
                        if (client == APACHE) System.gc()
                        withClue(client) { server.openConnections() shouldBe 0 }
                    }
                }
            }
        }
    })
