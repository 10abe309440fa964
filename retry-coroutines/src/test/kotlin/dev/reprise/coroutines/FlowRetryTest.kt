@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.build.logged
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Hedge
import dev.reprise.core.HttpFailure
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

/** A response whose server wants no retry. */
private class NotWanted(status: Int) :
    Exception("HTTP $status"),
    HttpFailure {
    override val http: HttpOutcome = object : HttpOutcome() {
        override val status: Int = status

        override fun header(name: String): String? = "false".takeIf { name.equals("x-should-retry", ignoreCase = true) }
    }
}

class FlowRetryTest :
    FunSpec({
        fun failing(times: Int) = flow {
            var left = times
            emit("a")
            if (left-- > 0) throw IOException("broken")
            emit("b")
        }

        test("a hedge, which sends no copy of a flow, is told once") {
            val retrier = Retrier(RetryPolicy { hedge = Hedge() })
            val told = logged("dev.reprise") { runBlocking { repeat(2) { failing(0).retry(retrier).toList() } } }
            told.map { it.message } shouldContainExactly
                listOf("a policy has a hedge, and a Flow is collected without copies")
        }

        virtual("a flow that fails is collected again, and its values come again") {
            var collections = 0
            val numbers = flow {
                collections++
                emit(collections)
                if (collections < 3) throw IOException()
                emit(99)
            }
            val retrier = retrier()
            numbers.retry(retrier).toList() shouldContainExactly listOf(1, 2, 3, 99)
            currentTime shouldBe 150
            retrier.quota.shouldNotBeNull().available shouldBe 486
        }

        virtual("each collection has attempts of its own") {
            val retried = failing(times = 1).retry(retrier())
            repeat(3) { shouldThrow<IOException> { retried.toList() }.message shouldBe "broken" }
            currentTime shouldBe 3 * 150
        }

        virtual("what the collector throws is not retried") {
            var seen = 0
            shouldThrow<IOException> {
                failing(times = 0).retry(retrier()).collect {
                    seen++
                    throw IOException("downstream")
                }
            }.message shouldBe "downstream"
            seen shouldBe 1
            currentTime shouldBe 0
        }

        virtual("an attempt's timeout that the collector throws is the collector's own, and not retried") {
            var seen = 0
            val bounded = Retrier(RetryPolicy { deadline = 1.hours }) { clock = testTimeSource.asNanoClock() }
            val inner = RetryPolicy {
                attemptTimeout = 10.milliseconds
                maxAttempts = 1
            }
            shouldThrow<AttemptTimeoutException> {
                failing(times = 0).retry(bounded).collect {
                    seen++
                    retry(inner) { awaitCancellation() }
                }
            }
            seen shouldBe 1
        }

        virtual(
            "a failure that is final by its status stays final if its server wants no retry, and another is retried",
        ) {
            for ((status, expected) in listOf(404 to 1, 503 to 3)) {
                var collections = 0
                val upstream = flow<Unit> {
                    collections++
                    throw NotWanted(status)
                }
                shouldThrow<NotWanted> { upstream.retry(Retrier(RetryPolicy.HTTP.with { maxAttempts = 3 })).collect() }
                collections shouldBe expected
            }
        }

        virtual("a listener hears of one end, also when the collector has enough, or fails") {
            val ends = mutableListOf<String>()
            val listener = RetryListener { ends += it.javaClass.simpleName }
            val flow = failing(times = 0).retry(retrier().with(listener))
            flow.toList()
            ends.removeLast() shouldBe "CallSucceeded"
            flow.first()
            ends.removeLast() shouldBe "CallCancelled"
            shouldThrow<IOException> { flow.collect { throw IOException() } }
            ends.removeLast() shouldBe "CallCancelled"
            ends.distinct() shouldContainExactly listOf("CallStarted", "AttemptStarted")
        }
    })
