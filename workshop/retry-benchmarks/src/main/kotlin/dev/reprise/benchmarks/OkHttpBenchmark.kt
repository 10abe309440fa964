package dev.reprise.benchmarks

import dev.failsafe.Failsafe
import dev.failsafe.RetryPolicy
import dev.failsafe.okhttp.FailsafeCall
import dev.reprise.okhttp.OkHttpRetries
import dev.reprise.okhttp.RetryInterceptor
import dev.reprise.okhttp.RetryingCallFactory
import okhttp3.Call
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import okhttp3.ResponseBody
import okhttp3.ResponseBody.Companion.toResponseBody
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State

/** OkHttp with no network behind it: its last interceptor answers. A floor without retries. */
open class OkHttpBenchmark {
    @Benchmark
    fun floor(work: Work, clients: OkHttpClients) = clients.status(work, clients.bare)

    @Benchmark
    fun reprise(work: Work, clients: OkHttpClients) = clients.status(work, clients.interceptor)

    @Benchmark
    fun repriseFactory(work: Work, clients: OkHttpClients) = clients.status(work, clients.factory)

    @Benchmark
    fun failsafe(work: Work, clients: OkHttpClients): Int {
        clients.work = work
        return clients.failsafe.compose(clients.bare.newCall(clients.request)).execute().use { it.code }
    }
}

/** The clients of one thread. */
@State(Scope.Thread)
open class OkHttpClients {
    lateinit var work: Work

    val request: Request = Request.Builder().url("http://localhost/").build()
    private val empty: ResponseBody = ByteArray(0).toResponseBody()
    private val answering = Interceptor { chain ->
        Response.Builder()
            .request(chain.request())
            .protocol(Protocol.HTTP_1_1)
            .code(if (work.fails()) UNAVAILABLE else OK)
            .message("")
            .body(empty)
            .build()
    }

    private val retries = OkHttpRetries.builder()
        .policy(HTTP_STANDARD)
        .build()

    val bare: OkHttpClient = OkHttpClient.Builder().addInterceptor(answering).build()
    val interceptor: OkHttpClient =
        OkHttpClient.Builder().addInterceptor(RetryInterceptor(retries)).addInterceptor(answering).build()
    val factory = RetryingCallFactory(bare, retries)
    val failsafe: FailsafeCall.FailsafeCallBuilder = FailsafeCall.with(
        Failsafe.with(
            RetryPolicy.builder<Response>()
                .handleResultIf { it != null && it.code >= UNAVAILABLE }
                .withMaxRetries(ATTEMPTS - 1)
                .build(),
        ),
    )

    fun status(work: Work, calls: Call.Factory): Int {
        this.work = work
        return calls.newCall(request).execute().use { it.code }
    }

    private companion object {
        const val OK = 200
        const val UNAVAILABLE = 503
    }
}
