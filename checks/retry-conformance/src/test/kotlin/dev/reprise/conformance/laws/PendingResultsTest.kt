package dev.reprise.conformance.laws

import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respondOk
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.statement.HttpStatement
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import okhttp3.OkHttpClient
import okhttp3.Request
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.SubmissionPublisher

/** A process is told fifty things, and other tests have told some. */
private fun forget() {
    val told = WarningLog::class.java.getDeclaredField("told").apply { isAccessible = true }.get(null)
    (told as MutableSet<*>).clear()
}

class PendingResultsTest :
    FunSpec({
        beforeTest { forget() }

        val pending = mapOf(
            "CompletionStage" to { CompletableFuture.failedFuture<String>(IOException("later")) },
            "coroutines.Job" to { CompletableDeferred<String>() },
            "Job" to { Job() },
            "Flow" to { flowOf(1) },
            "Publisher" to { Mono.just(1) },
            "Flow\$Publisher" to { SubmissionPublisher<Int>() },
            "HttpStatement" to { HttpStatement(HttpRequestBuilder(), HttpClient(MockEngine { respondOk() })) },
            "okhttp3.Call" to { OkHttpClient().newCall(Request.Builder().url("http://localhost/").build()) },
        )
        val whole = listOf("text", 1, null, Unit, listOf(1), MutableStateFlow(1))

        fun face(name: String, policy: RetryPolicy = RetryPolicy.STANDARD): Map<String, (Any?) -> Any?> {
            fun named(of: String) = Retrier(policy) { this.name = "$name-$of" }
            return mapOf(
                "suspend" to named("suspend").let { retrier -> { result -> runBlocking { retrier { result } } } },
                "outcome" to
                    named("outcome").let { retrier -> { result -> runBlocking { retrier.outcome { result } } } },
                "blocking" to
                    JavaRetrier.sharing(named("blocking")).let { retrier ->
                        { result -> retrier.call<Any?, Exception> { result } }
                    },
                "future" to JavaRetrier.sharing(named("future")).let { retrier ->
                    { result -> retrier.callAsync { CompletableFuture.completedFuture(result) }.join() }
                },
                "mono" to
                    named("mono").let { retrier -> { result -> Mono.justOrEmpty<Any>(result).retry(retrier).block() } },
            )
        }

        pending.forEach { (type, result) ->
            test("a $type as a call's result is told about once, on each face") {
                face("pending-$type").forEach { (face, call) ->
                    val lines = logged { repeat(3) { call(result()) } }.map { it.message }
                    lines.filter {
                        "whose work is not part of the call: what fails in it is not retried" in it
                    } shouldHaveSize
                        1
                    lines.first {
                        "whose work is not part of the call: what fails in it is not retried" in it
                    } shouldContain
                        Regex("pending-.*-$face] .*${Regex.escape(type)}")
                }
            }
        }

        test("a failed Result as a call's result is told about once, on each face, and a good one is not") {
            face("caught").forEach { (face, call) ->
                val lines = logged {
                    call(Result.success(1))
                    repeat(2) { call(runCatching { throw IOException("hidden") }) }
                }.map { it.message }
                lines shouldHaveSize 1
                lines.single() shouldContain Regex("caught-$face] .*kotlin.Result, which has failed")
            }
        }

        test("a result that has ended, also after others, is told nothing about") {
            val faces = face("whole")
            logged { whole.forEach { result -> faces.values.forEach { it(result) } } }.shouldBeEmpty()
        }

        test("a pending result after others is told about") {
            val call = face("late").getValue("suspend")
            logged { (whole + flowOf(1) + flowOf(2)).forEach { call(it) } } shouldHaveSize 1
        }

        test("a policy that accepts such a result says that it is meant") {
            val policy = RetryPolicy { onResult { if (it is CompletableFuture<*>) Verdict.Accept else null } }
            logged { face("meant", policy).forEach { (_, call) -> call(CompletableFuture<String>()) } }.shouldBeEmpty()
        }

        test("the flow of a page of results, retried as a flow, is no result") {
            logged { Flux.just(1, 2).retry(Retrier(RetryPolicy.STANDARD)).blockLast() }.shouldBeEmpty()
        }
    })
