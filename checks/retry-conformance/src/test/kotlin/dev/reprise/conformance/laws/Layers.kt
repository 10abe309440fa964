package dev.reprise.conformance.laws

import dev.reprise.apachehttp.ApacheRetries
import dev.reprise.core.Backoff
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.jdkhttp.RetryingHttpClientBuilder
import dev.reprise.ktor.Retry
import dev.reprise.okhttp.OkHttpRetries
import dev.reprise.okhttp.RetryInterceptor
import dev.reprise.okhttp.RetryingCallFactory
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.runBlocking
import okhttp3.Call
import okhttp3.Callback
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import okhttp3.ResponseBody.Companion.toResponseBody
import org.apache.hc.client5.http.classic.methods.HttpGet
import org.apache.hc.client5.http.impl.ChainElement
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.core5.http.io.entity.StringEntity
import org.apache.hc.core5.http.message.BasicClassicHttpResponse
import java.io.IOException
import java.lang.reflect.InvocationTargetException
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executor
import java.util.concurrent.ForkJoinPool

/** A way to make a call around [work][around] that runs on a thread. */
class Layer(
    private val name: String,
    /** Whether it knows that the work runs inside its attempt: not on a thread that others chose. */
    val knows: Boolean = true,
    val around: (Retrier, () -> Any?) -> Any?,
) {
    override fun toString(): String = name
}

/** The work of a call. */
val LAYERS: List<Layer> = listOf(
    Layer("suspend") { retrier, work -> runBlocking { retrier { work() } } },
    Layer("outcome") { retrier, work -> runBlocking { retrier.outcome { work() } }.getOrThrow() },
    Layer("blocking") { retrier, work -> java(retrier).call<Any?, Exception> { work() } },
    Layer("future") { retrier, work -> java(retrier).callAsync<Any?>({ work() }, Executor(Runnable::run)).join() },
    Layer("thread") { retrier, work -> java(retrier).callAsync<Any?>({ work() }, ForkJoinPool.commonPool()).get() },
    Layer("stage", knows = false) { retrier, work ->
        java(retrier).callAsync<Any?> { CompletableFuture.supplyAsync { work() } }.join()
    },
    Layer("ktor", knows = false) { retrier, work ->
        runBlocking {
            HttpClient(MockEngine { respond("${work()}") }) {
                install(Retry) { retriers = RetrierCache(1) { retrier } }
            }.use { it.get("http://service.test/") }
        }
    },
    Layer("java.net.http") { retrier, work -> send(jdk(work) { retriers { java(retrier) } }) },
    Layer("okhttp") { retrier, work ->
        RetryingCallFactory(okhttp(work).build(), java(retrier)).newCall(OK_REQUEST).execute().close()
    },
    Layer("apache") { retrier, work -> ApacheRetries.of(java(retrier)).around(work) },
    Layer("okhttp, interceptor") { retrier, work ->
        // The first interceptor is the outermost.
        OkHttpClient.Builder().addInterceptor(RetryInterceptor(java(retrier))).addInterceptor(doing(work)).build()
            .newCall(OK_REQUEST).execute().close()
    },
)

/** The layer nearest to the failure: some [work] that fails, or an HTTP client whose server does. */
class Leaf(private val name: String, val call: (policy: RetryPolicy, failed: () -> Unit) -> Any?) {
    override fun toString(): String = name
}

/** A call of a client that counts each request by `failed`, in every kind of failure that it has. */
val LEAVES: List<Leaf> = LAYERS.map { layer ->
    Leaf("$layer") { policy, failed ->
        layer.around(Retrier(policy)) {
            failed()
            throw IOException("down")
        }
    }
} + listOf(
    Leaf("ktor, exception") { policy, failed ->
        ktor(policy) { engine ->
            MockEngine {
                failed()
                throw IOException("down")
            }.also(engine)
        }
    },
    Leaf("ktor, status as exception") { policy, failed ->
        ktor(policy) { engine ->
            MockEngine {
                failed()
                respond("", HttpStatusCode.ServiceUnavailable)
            }.also(engine)
        }
    },
    Leaf("java.net.http, default") { policy, failed -> send(jdk(down(failed)) { policy(asHttp(policy)) }) },
    Leaf("apache, default") { policy, failed ->
        ApacheRetries.builder().policy(asHttp(policy)).build().around(down(failed))
    },
    Leaf("okhttp, enqueued") { policy, failed ->
        val retries = OkHttpRetries.builder().policy(asHttp(policy)).build()
        RetryingCallFactory(okhttp(down(failed)).build(), retries).newCall(OK_REQUEST).enqueued().join().close()
    },
)

/** Enqueues this call; the response or the failure completes the result. */
internal fun Call.enqueued(): CompletableFuture<Response> = CompletableFuture<Response>().also { end ->
    enqueue(
        object : Callback {
            override fun onFailure(call: Call, e: IOException) {
                end.completeExceptionally(e)
            }

            override fun onResponse(call: Call, response: Response) {
                end.complete(response)
            }
        },
    )
}

/** The work of a server that cannot be reached. */
private fun down(failed: () -> Unit): () -> Any? = {
    failed()
    throw IOException("down")
}

private val REQUEST: HttpRequest = HttpRequest.newBuilder(URI("http://service.test/")).build()
private val OK_REQUEST = Request.Builder().url("http://service.test/").build()

/** A client whose requests are [work]. */
private fun okhttp(work: () -> Any?) = OkHttpClient.Builder().addInterceptor(doing(work))

private fun doing(work: () -> Any?) = Interceptor { chain ->
    val text = "${work()}"
    Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(200).message("OK")
        .body(text.toResponseBody()).build()
}

/** A call of Apache's client whose requests are [work]. */
private fun ApacheRetries.around(work: () -> Any?) {
    val builder = addTo(HttpClients.custom()).addExecInterceptorBefore(ChainElement.REDIRECT.name, "work") { _, _, _ ->
        BasicClassicHttpResponse(200).also { it.entity = StringEntity("${work()}") }
    }
    builder.build().use { client -> client.execute(HttpGet("http://service.test/")) { } }
}

private fun java(retrier: Retrier) = JavaRetrier.sharing(retrier)

private fun ktor(retry: RetryPolicy, engine: ((MockEngine) -> Unit) -> MockEngine): Any? = runBlocking {
    HttpClient(engine { }) {
        expectSuccess = true
        install(Retry) { policy = asHttp(retry) }
    }.use { it.get("http://service.test/") }
}

/** A client whose requests are [work]. */
private fun jdk(work: () -> Any?, set: RetryingHttpClientBuilder.() -> Unit): RetryingHttpClient {
    val below = ScriptedHttpClient(VirtualTime()) {
        val end = runCatching(work)
        end.exceptionOrNull()?.let { ScriptedResponse.failure { it } }
            ?: ScriptedResponse.status(200, "${end.getOrNull()}")
    }
    return RetryingHttpClient.around(below).apply(set).build()
}

private fun send(client: RetryingHttpClient): Any? = client.send(REQUEST, BodyHandlers.ofString())

/** The policy of an HTTP client that has the numbers of [policy]. */
fun asHttp(policy: RetryPolicy): RetryPolicy = RetryPolicy.HTTP.with {
    maxAttempts = policy.maxAttempts
    backoff = Backoff.IMMEDIATE
    quota = null
    trace = policy.trace
    whenRetriedBelow = policy.whenRetriedBelow
}

/** The exception that code between two layers throws for a failure. */
enum class Wrapping(val of: (Throwable) -> Throwable) {
    NONE({ it }),
    COMPLETION({ CompletionException(it) }),
    EXECUTION({ ExecutionException(it) }),
    REFLECTION({ InvocationTargetException(it) }),
    OWN({ IOException("of the user's", it) }),
    DEEP({ failure -> (1..6).fold(failure) { cause, _ -> RuntimeException(cause) } }),

    /** As the AWS SDK rebuilds its exceptions. */
    COPY({ failure ->
        IOException("rebuilt").also { copy ->
            generateSequence(failure) { it.cause }.forEach { it.suppressed.forEach(copy::addSuppressed) }
        }
    }),
}
