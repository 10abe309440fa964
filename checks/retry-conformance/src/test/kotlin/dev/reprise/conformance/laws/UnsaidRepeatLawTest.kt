package dev.reprise.conformance.laws

import dev.reprise.apachehttp.ApacheRetries
import dev.reprise.conformance.GrpcAnswer
import dev.reprise.conformance.IDEMPOTENT_METHOD
import dev.reprise.conformance.ScriptedChannel
import dev.reprise.conformance.grpcCall
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.okhttp.RetryInterceptor
import dev.reprise.okhttp.RetryingCallFactory
import dev.reprise.okhttp.callOptions
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.grpc.Status
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.post
import io.ktor.client.request.setBody
import kotlinx.coroutines.runBlocking
import okhttp3.Call
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import java.net.http.HttpClient as JdkClient

private typealias Post = (uri: URI, retrier: JavaRetrier, options: CallOptions) -> Unit

private fun jdk(retrier: JavaRetrier, options: CallOptions) =
    RetryingHttpClient.around(JdkClient.newHttpClient()).retriers { retrier }.options { options }.build()

private fun jdkRequest(uri: URI) = HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("pay")).build()

private fun okHttp(calls: Call.Factory, uri: URI, options: CallOptions) = calls.newCall(
    Request.Builder().url(uri.toURL()).post("pay".toRequestBody()).callOptions(options).build(),
).execute().close()

/** A POST of each HTTP client. */
private val POSTS = mapOf<String, Post>(
    "Ktor" to { uri, retrier, options ->
        HttpClient(CIO) { install(Retry) { retriers = RetrierCache(1) { retrier.retrier() } } }.use { client ->
            runBlocking {
                client.post("$uri") {
                    setBody("pay")
                    callOptions(options)
                }
            }
        }
    },
    "java.net.http" to
        { uri, retrier, options -> jdk(retrier, options).send(jdkRequest(uri), BodyHandlers.ofString()) },
    "java.net.http, as a future" to
        { uri, retrier, options -> jdk(retrier, options).sendAsync(jdkRequest(uri), BodyHandlers.ofString()).join() },
    "Apache HttpClient" to { uri, retrier, options ->
        ApacheRetries.of(retrier).addTo(HttpClients.custom()).build().use { client ->
            val request = ClassicRequestBuilder.post(uri).setEntity("pay").build()
            client.execute(request, ApacheRetries.context(options)) { }
        }
    },
    "OkHttp, interceptor" to { uri, retrier, options ->
        val client = OkHttpClient.Builder().addInterceptor(RetryInterceptor(retrier))
        okHttp(client.build(), uri, options)
    },
    "OkHttp, factory" to { uri, retrier, options ->
        okHttp(RetryingCallFactory(OkHttpClient(), retrier), uri, options)
    },
)

private val WRITE = IDEMPOTENT_METHOD.toBuilder().setIdempotent(false).build()

/** How many requests a write of each client takes whose first one fails, of gRPC in virtual time. */
private val WRITES: Map<String, (JavaRetrier, CallOptions) -> Int> = POSTS.mapValues { (_, post) ->
    { retrier: JavaRetrier, options: CallOptions ->
        FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
            post(server.uri(), retrier, options)
            server.bodies().size
        }
    }
} + mapOf(
    "gRPC" to { retrier, options ->
        val time = VirtualTime()
        var requests = 0
        val channel = ScriptedChannel(time) {
            val status = if (requests++ == 0) Status.UNAVAILABLE else Status.OK
            GrpcAnswer(0, status, "")
        }
        val java = JavaRetrier.sharing(retrier.retrier(), time, time.executor).withOptions(retrier.options())
        val end = grpcCall(channel, java, options, time, WRITE)
        time.until { end.isDone }
        requests
    },
)

/**
 * Law: options that do not say whether a request may be repeated change nothing in whether it is; what a request's own do not
 * say, those of its retrier's view do.
 */
class UnsaidRepeatLawTest :
    FunSpec({
        val silent = mapOf(
            "a name" to CallOptions("charge card"),
            "a deadline" to CallOptions { deadline = 1.minutes },
            "a long poll" to CallOptions { longPolling = true },
        )

        val policy = RetryPolicy.HTTP.with {
            noBackoff()
            noQuota()
        }

        fun sent(
            write: (JavaRetrier, CallOptions) -> Int,
            options: CallOptions,
            view: CallOptions = CallOptions.DEFAULT,
            under: RetryPolicy = policy,
        ): Pair<Int, StopReason?> {
            val recorder = Recorder()
            val retrier = Retrier(under) { listener(recorder) }
            val requests = write(JavaRetrier.sharing(retrier).withOptions(view), options)
            if (view.operation != null) recorder.events.first().operation shouldBe view.operation
            return requests to recorder.call.reason
        }

        for ((client, write) in WRITES) {
            for ((what, options) in silent) {
                test("$client: a write that was given $what is sent once, and one that is said to be safe twice") {
                    sent(write, options) shouldBe (1 to StopReason.NOT_REPLAYABLE)
                    sent(write, options.with { repeat = Repeat.SAFE }) shouldBe (2 to StopReason.SUCCESS)
                }
            }
            // The plugin takes no retrier for Java.
            if (client == "Ktor") continue
            test("$client: the options of a view are a request's where its own say nothing") {
                val safe = CallOptions { operation("pay").repeat(Repeat.SAFE) }
                val never = CallOptions { repeat = Repeat.NEVER }
                sent(write, CallOptions.DEFAULT, view = safe) shouldBe (2 to StopReason.SUCCESS)
                sent(write, never, view = safe) shouldBe (1 to StopReason.NOT_REPLAYABLE)
                sent(write, safe, view = never) shouldBe (2 to StopReason.SUCCESS)
                val slow = policy.with { backoff = Backoff.fixed(1.minutes) }
                val short = safe.with { deadline = 30.seconds }
                sent(write, CallOptions.DEFAULT, view = short, slow) shouldBe (1 to StopReason.DEADLINE)
            }
        }
    })
