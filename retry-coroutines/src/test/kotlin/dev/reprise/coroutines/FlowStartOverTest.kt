@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.build.logged
import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.newQuota
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import java.net.ConnectException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** The ways in which a downstream ends a collection. */
private enum class Way { ENOUGH, FAILS, CANCELLED }

/** A stream that lasts starts over in a call of its own; each call has one end. */
class FlowStartOverTest :
    FunSpec({
        val endless = RetryPolicy {
            maxAttempts = 10_000
            quota = null
            backoff = Backoff.fixed(10.milliseconds)
        }

        fun TestScope.retrier(policy: RetryPolicy, told: (RetryEvent) -> Unit) = Retrier(policy) {
            clock = testTimeSource.asNanoClock()
            listener(RetryListener { told(it) })
        }

        /** Emits a value every [every] ms, and fails after [failsAfter] of them, in each collection. */
        fun stream(every: Long, failsAfter: Int) = flow {
            repeat(failsAfter) {
                delay(every)
                emit(it)
            }
            throw IOException("lost")
        }

        test("a flow that ends after hours because attempts ran out says so once, and one that ends at once does not") {
            fun linesOf(name: String, lasts: Duration) = logged("dev.reprise") {
                runTest {
                    val retrier = Retrier(RetryPolicy { backoff = Backoff.fixed(10.milliseconds) }) {
                        this.name = name
                        clock = testTimeSource.asNanoClock()
                    }
                    repeat(2) {
                        val flow = flow<Int> {
                            delay(lasts)
                            throw ConnectException("lost")
                        }
                        shouldThrow<IOException> { flow.retry(retrier).collect() }
                    }
                }
            }.map { it.message }
            linesOf("stream-long", 100.minutes).single() shouldContain "startOverAfter"
            linesOf("stream-short", 100.milliseconds).shouldBeEmpty()
        }

        test("a downstream that ends it makes the call in progress a cancelled one, and each call before a success") {
            checkAll(200, Arb.enum<Way>(), Arb.int(1..30), Arb.int(1..5)) { way, values, failsAfter ->
                runTest {
                    val events = ArrayList<RetryEvent>()
                    val retrier = retrier(endless) { events += it }
                    val flow = stream(every = 10, failsAfter).retry(retrier, startOverAfter = 25.milliseconds)
                    when (way) {
                        Way.ENOUGH -> flow.take(values).collect()

                        Way.FAILS -> {
                            var seen = 0
                            shouldThrow<IllegalStateException> { flow.collect { check(++seen < values) } }
                        }

                        Way.CANCELLED -> {
                            var seen = 0
                            val job = launch {
                                flow.collect { if (++seen == values) throw CancellationException("enough") }
                            }
                            job.join()
                        }
                    }
                    val lasts = failsAfter * 10 >= 25
                    val failures = (values - 1) / failsAfter
                    val ends = events.map { it.javaClass.simpleName }.filter {
                        it.startsWith("Call") &&
                            it != "CallStarted"
                    }
                    val startsOver = if (lasts) failures else 0
                    ends shouldContainExactly List(startsOver) { "CallSucceeded" } + "CallCancelled"
                    events.count { it is RetryEvent.CallStarted } shouldBe ends.size
                    events.groupBy { it.callId }.values.forEach { told ->
                        told.count { it.javaClass.simpleName in END_EVENTS } shouldBe 1
                    }
                }
            }
        }

        test("what starts over does so under the policy of then") {
            checkAll(100, Arb.int(1..6)) { at ->
                runTest {
                    var collections = 0
                    val started = ArrayList<RetryEvent>()
                    val retrier = retrier(endless) { if (it is RetryEvent.CallStarted) started += it }
                    val flow = flow<Int> {
                        collections++
                        delay(30)
                        if (collections == at) retrier.update(RetryPolicy.NONE)
                        throw IOException("lost")
                    }
                    shouldThrow<IOException> { flow.retry(retrier, startOverAfter = 25.milliseconds).collect() }
                    collections shouldBe at
                    started.size shouldBe at + 1
                    currentTime shouldBe at * 30 + (at - 1) * 10
                }
            }
        }

        test("a collection that lasted exactly as long as startOverAfter says starts over, a shorter one does not") {
            for ((lasts, collections) in listOf(24L to 4, 25L to 10)) {
                runTest {
                    var begun = 0
                    val flow = flow<Int> {
                        delay(lasts)
                        if (++begun < 10) throw IOException("lost")
                    }
                    val retrier = retrier(endless.with { maxAttempts = 4 }) { }
                    runCatching { flow.retry(retrier, startOverAfter = 25.milliseconds).collect() }
                    begun shouldBe collections
                }
            }
        }

        virtual("a retry within a call keeps the policy that the call began with") {
            var collections = 0
            val retrier = retrier(endless.with { maxAttempts = 4 }) { }
            val flow = flow<Int> {
                if (++collections == 2) retrier.update(RetryPolicy.NONE)
                throw IOException("lost")
            }
            shouldThrow<IOException> { flow.retry(retrier, startOverAfter = 25.milliseconds).collect() }
            collections shouldBe 4
        }

        virtual("a quota that throws when the call before succeeds ends the flow, once") {
            val broken = object : Quota by RetryPolicy.STANDARD.quota!!.newQuota(testTimeSource.asNanoClock()) {
                override fun succeeded(tokens: Int, operation: String?): Int = error("broken quota")
            }
            val events = ArrayList<String>()
            val retrier = Retrier(RetryPolicy.STANDARD) {
                clock = testTimeSource.asNanoClock()
                quota = broken
                listener(RetryListener { events += it.javaClass.simpleName })
            }
            shouldThrow<IllegalStateException> {
                stream(every = 10, failsAfter = 3).retry(retrier, startOverAfter = 25.milliseconds).collect()
            }.message shouldBe "broken quota"
            events.count { it in END_EVENTS } shouldBe 1
        }
    }) {
    private companion object {
        val END_EVENTS = setOf("CallSucceeded", "CallGaveUp", "CallCancelled")
    }
}
