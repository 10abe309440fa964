package dev.reprise.okhttp

import com.sun.management.ThreadMXBean
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import okhttp3.Call
import okhttp3.Callback
import okhttp3.Dispatcher
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import okhttp3.ResponseBody
import okhttp3.ResponseBody.Companion.toResponseBody
import retrofit2.Retrofit
import retrofit2.http.GET
import java.io.IOException
import java.lang.management.ManagementFactory
import java.util.concurrent.AbstractExecutorService
import java.util.concurrent.TimeUnit
import kotlin.system.measureNanoTime

private const val WARM_UP = 8_000
private const val CALLS = 8_000

/** More than what any way costs, less than a second call of OkHttp's own would. */
private const val MOST_BYTES = 2_000L

private interface EmptyApi {
    @GET("/")
    fun load(): retrofit2.Call<ResponseBody>
}

/** Runs what is enqueued on the thread that enqueues it, so that all that a call costs is that thread's. */
private class HereAndNow : AbstractExecutorService() {
    override fun execute(task: Runnable) = task.run()

    override fun shutdown() = Unit

    override fun shutdownNow() = emptyList<Runnable>()

    override fun isShutdown() = false

    override fun isTerminated() = false

    override fun awaitTermination(timeout: Long, unit: TimeUnit) = true
}

private val empty = ByteArray(0).toResponseBody()

/** In place of the network. */
private val answering = Interceptor { chain ->
    Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(200).message("").body(empty).build()
}

private class Closing : Callback {
    var ends = 0

    override fun onFailure(call: Call, e: IOException) = throw e

    override fun onResponse(call: Call, response: Response) {
        response.close()
        ends++
    }
}

private class ClosingBody : retrofit2.Callback<ResponseBody> {
    var ends = 0

    override fun onFailure(call: retrofit2.Call<ResponseBody>, t: Throwable) = throw t

    override fun onResponse(call: retrofit2.Call<ResponseBody>, response: retrofit2.Response<ResponseBody>) {
        response.body()!!.close()
        ends++
    }
}

/** What the retries add to a call that succeeds at once, in bytes; the times that it prints are for a quiet machine. */
class CostTest :
    FunSpec({
        val bare = OkHttpClient.Builder().dispatcher(Dispatcher(HereAndNow())).addInterceptor(answering).build()
        val retries = OkHttpRetries.standard()
        val interceptor = bare.newBuilder().apply { interceptors().add(0, RetryInterceptor(retries)) }.build()
        val factories = mapOf(
            "OkHttp" to bare,
            "RetryInterceptor" to interceptor,
            "RetryingCallFactory" to RetryingCallFactory(bare, retries),
        )
        val request = Request.Builder().url("http://localhost/").build()

        fun ways(calls: Call.Factory): Map<String, () -> Unit> {
            val api = Retrofit.Builder().baseUrl("http://localhost/").callFactory(calls).build()
                .create(EmptyApi::class.java)
            return mapOf(
                "execute" to { calls.newCall(request).execute().close() },
                "enqueue" to { check(Closing().also(calls.newCall(request)::enqueue).ends == 1) },
                "Retrofit, execute" to { api.load().execute().body()!!.close() },
                "Retrofit, enqueue" to { check(ClosingBody().also(api.load()::enqueue).ends == 1) },
            )
        }

        test("retries add less than two kilobytes to a call that succeeds, whichever way it is made") {
            val costs = factories.mapValues { (_, calls) -> ways(calls).mapValues { (_, call) -> costOf(call) } }

            for ((name, ways) in costs) {
                for ((way, cost) in ways) {
                    println("$name, $way: ${cost.bytes} B, ${cost.nanos} ns")
                    cost.bytes - costs.getValue("OkHttp").getValue(way).bytes shouldBeLessThan MOST_BYTES
                }
            }
        }
    })

private class Cost(val bytes: Long, val nanos: Long)

private fun costOf(call: () -> Unit): Cost {
    val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean
    val id = Thread.currentThread().id
    repeat(WARM_UP) { call() }
    val before = threads.getThreadAllocatedBytes(id)
    val nanos = measureNanoTime { repeat(CALLS) { call() } }
    return Cost((threads.getThreadAllocatedBytes(id) - before) / CALLS, nanos / CALLS)
}
