@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

/** The places where a deadline may come from. */
private enum class Origin { POLICY, OPTIONS, CONTEXT, SOURCE }

/** A deadline is a deadline for a flow as well. */
class FlowDeadlineTest :
    FunSpec({
        val endless = RetryPolicy {
            maxAttempts = 10_000
            quota = null
            backoff = Backoff.fixed(10.milliseconds)
        }

        fun TestScope.retrier(policy: RetryPolicy, vararg listeners: RetryListener) =
            Retrier.builder(policy).clock(testTimeSource.asNanoClock()).listeners(listeners.toList()).build()

        /** Runs [block] with a retrier and options whose calls have [limit] by one of the four ways to say so. */
        suspend fun TestScope.bounded(
            origin: Origin,
            limit: Duration,
            listener: RetryListener = RetryListener { },
            block: suspend (Retrier, CallOptions) -> Unit,
        ) {
            val plain = retrier(endless, listener)
            val end = testTimeSource.markNow() + limit
            when (origin) {
                Origin.POLICY -> block(retrier(endless.with { deadline = limit }, listener), CallOptions.DEFAULT)

                Origin.OPTIONS -> block(plain, CallOptions { deadline = limit })

                Origin.CONTEXT -> withDeadline(end) { block(plain, CallOptions.DEFAULT) }

                Origin.SOURCE -> {
                    val source = DeadlineSource { (-end.elapsedNow()).toJavaDuration() }
                    block(plain.with(source), CallOptions.DEFAULT)
                }
            }
        }

        test("a collection that hangs is cut off at the deadline, wherever that comes from") {
            checkAll(100, Arb.enum<Origin>(), Arb.int(1..500)) { origin, limit ->
                runTest {
                    var isReleased = false
                    val hanging = flow {
                        try {
                            emit(1)
                            awaitCancellation()
                        } finally {
                            isReleased = true
                        }
                    }
                    bounded(origin, limit.milliseconds) { retrier, options ->
                        val failure = shouldThrow<AttemptTimeoutException> { hanging.retry(retrier, options).collect() }
                        RetryTrace.of(failure)!!.reason shouldBe StopReason.DEADLINE
                    }
                    currentTime shouldBe limit
                    isReleased shouldBe true
                }
            }
        }

        virtual(
            "what a flow throws in answer to that is suppressed, and a value that it still emits is not a success",
        ) {
            val stubborn = flow {
                try {
                    awaitCancellation()
                } finally {
                    emit("late")
                }
            }
            withDeadline(testTimeSource.markNow() + 1.seconds) {
                val seen = ArrayList<String>()
                shouldThrow<AttemptTimeoutException> { stubborn.retry(retrier(endless)).collect { seen += it } }
            }
            currentTime shouldBe 1_000
        }

        virtual(
            "a downstream that hangs is cut off too, and one that catches that ends with the deadline all the same",
        ) {
            withDeadline(testTimeSource.markNow() + 1.seconds) {
                shouldThrow<AttemptTimeoutException> {
                    flow { emit(1) }.retry(retrier(endless)).collect { delay(1.hours) }
                }
                currentTime shouldBe 1_000
            }
        }

        virtual("a stream that is to start over outlives its policy's deadline, but not that of the work around it") {
            val retrier = retrier(endless.with { deadline = 1.seconds })
            val stream = flow {
                delay(1.days)
                emit("done")
            }
            stream.retry(retrier, startOverAfter = 500.milliseconds).toList() shouldContainExactly listOf("done")
            val begun = currentTime
            withDeadline(testTimeSource.markNow() + 1.hours) {
                shouldThrow<AttemptTimeoutException> {
                    stream.retry(retrier, startOverAfter = 500.milliseconds).collect()
                }
            }
            currentTime - begun shouldBe 1.hours.inWholeMilliseconds
            // The policy's deadline comes before it could count as a success.
            shouldThrow<AttemptTimeoutException> { stream.retry(retrier, startOverAfter = 2.seconds).collect() }
            currentTime - begun shouldBe (1.hours + 1.seconds).inWholeMilliseconds
        }

        virtual("the policy's attempt timeout does not apply") {
            val policy = endless.with {
                attemptTimeout = 10.milliseconds
                deadline = 1.seconds
            }
            flow {
                delay(500)
                emit(1)
            }.retry(retrier(policy)).toList() shouldContainExactly listOf(1)
        }

        test("at whatever reading the clock throws, a call that has begun ends, and no other is heard of") {
            for (broken in 1..20) {
                runTest {
                    val events = mutableListOf<RetryEvent>()
                    var readings = 0
                    val retrier = Retrier.builder(endless)
                        .clock { if (++readings == broken) error("clock") else currentTime * 1_000_000 }
                        .listener { events += it }.build()
                    val failing = flow<Int> { throw IOException() }
                    shouldThrow<Exception> {
                        failing.retry(retrier, CallOptions { deadline = 35.milliseconds }).toList()
                    }
                    val begun = events.count { it is RetryEvent.CallStarted }
                    events.count { it is RetryEvent.CallGaveUp } shouldBe begun
                    if (broken > 3) begun shouldBe 1
                }
            }
        }
    })
