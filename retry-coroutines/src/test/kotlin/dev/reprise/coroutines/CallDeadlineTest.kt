package dev.reprise.coroutines

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineException
import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

@OptIn(ExperimentalCoroutinesApi::class)
class CallDeadlineTest :
    FunSpec({
        val endless = RetryPolicy {
            maxAttempts = 10_000
            quota = null
            backoff = Backoff.fixed(10.milliseconds)
        }

        fun TestScope.retrier(policy: RetryPolicy = endless) =
            Retrier.builder(policy).clock(testTimeSource.asNanoClock()).draws { 1.0 }.build()

        suspend fun Retrier.fails(options: CallOptions = CallOptions.DEFAULT) =
            outcome<Unit>(options) { throw IOException() } as RetryOutcome.Failure

        test("of all limits around a call the shortest counts, however they are nested") {
            val millis = Arb.int(1..500).orNull()
            checkAll(200, millis, millis, millis, millis) { outer, inner, policyEnd, callEnd ->
                runTest {
                    suspend fun within(limit: Int?, block: suspend () -> Unit) = if (limit == null) {
                        block()
                    } else {
                        withDeadline(testTimeSource.markNow() + limit.milliseconds) { block() }
                    }
                    val shortest = listOfNotNull(outer, inner, policyEnd, callEnd).minOrNull() ?: return@runTest
                    val retrier = retrier(endless.with { deadline = policyEnd?.milliseconds })
                    within(outer) {
                        within(inner) {
                            val end = retrier.fails(CallOptions { deadline = callEnd?.milliseconds })
                            end.reason shouldBe StopReason.DEADLINE
                            end.attempts shouldBe (shortest - 1) / 10 + 1
                            currentTime shouldBeLessThanOrEqual shortest.toLong()
                        }
                    }
                }
            }
        }

        virtual("it is set once for all calls of a piece of work, one after another and beside one another") {
            val retrier = retrier()
            withDeadline(testTimeSource.markNow() + 1.seconds) {
                retrier { delay(900) }
                retrier.fails().attempts shouldBe 10
                val late = async { retrier.fails() }
                late.await().reason shouldBe StopReason.DEADLINE
            }
            currentTime shouldBe 990
            currentCoroutineContext()[CallDeadline].shouldBeNull()
        }

        test("a timer that is late, as by rounding to whole ms, leaves no attempt, and the caller his own failure") {
            val policy = endless.with {
                backoff = Backoff.fixed(99_500.microseconds)
                deadline = 100.milliseconds
            }
            for (isFlow in listOf(false, true)) {
                runTest {
                    var begun = 0
                    val work = suspend {
                        begun++
                        throw IOException("own")
                    }
                    val thrown = runCatching {
                        if (isFlow) {
                            flow<Unit> { work() }.retry(retrier(policy)).collect()
                        } else {
                            retrier(policy).invoke<Unit> { work() }
                        }
                    }.exceptionOrNull().shouldBeInstanceOf<IOException>()
                    val trace = RetryTrace.of(thrown)!!
                    trace.reason shouldBe StopReason.DEADLINE
                    trace.attempts shouldBe 1
                    begun shouldBe 1
                    currentTime shouldBe 100
                }
            }
        }

        virtual("the work itself is not cancelled") {
            withDeadline(testTimeSource.markNow() + 1.seconds) {
                delay(5_000)
                "done"
            } shouldBe "done"
            withDeadline(1.seconds) { currentCoroutineContext()[CallDeadline]!!.timeLeft <= 1.seconds } shouldBe true
        }

        virtual("a flow that is collected again stops too") {
            var collections = 0
            val failing = flow<Int> {
                collections++
                throw IOException()
            }
            withDeadline(testTimeSource.markNow() + 95.milliseconds) {
                runCatching { failing.retry(retrier()).collect() }.exceptionOrNull().shouldBeInstanceOf<IOException>()
            }
            collections shouldBe 10
        }

        test("a flow that starts over has new calls, and each ends by the same deadline") {
            checkAll(100, Arb.int(1..400), Arb.boolean()) { limit, isOfSource ->
                runTest {
                    var collections = 0
                    val lasting = flow<Int> {
                        collections++
                        delay(20)
                        throw IOException()
                    }
                    val end = testTimeSource.markNow() + limit.milliseconds
                    val source = DeadlineSource { (-end.elapsedNow()).toJavaDuration() }
                    val retrier = if (isOfSource) retrier().with(source) else retrier()
                    suspend fun collect() =
                        runCatching { lasting.retry(retrier, startOverAfter = 15.milliseconds).collect() }
                    val ended = if (isOfSource) collect() else withDeadline(end) { collect() }
                    // One in progress is cut off.
                    val isCutOff = limit % 30 in 1..<20
                    if (limit % 30 != 20) (ended.exceptionOrNull() is AttemptTimeoutException) shouldBe isCutOff
                    currentTime shouldBeLessThanOrEqual limit.toLong()
                    // A collection in every 30 ms, as long as the next one begins in time.
                    collections shouldBe (limit - 1) / 30 + 1
                }
            }
        }

        virtual("a source of another library bounds the calls of the retrier that has it, and of those made from it") {
            var left: Duration? = Duration.ofMillis(45)
            val retrier = retrier().with(DeadlineSource { left })
            retrier.fails().attempts shouldBe 5
            retrier.with(endless.with { trace = false }).fails().attempts shouldBe 5
            withDeadline(testTimeSource.markNow() + 25.milliseconds) { retrier.fails().attempts shouldBe 3 }
            left = null
            retrier(endless.with { maxAttempts = 7 }).with(DeadlineSource { left }).fails().attempts shouldBe 7
            left = Duration.ofMillis(-1)
            retrier.outcome { error("no attempt is made") }
                .shouldBeInstanceOf<RetryOutcome.Failure>().failure.shouldBeInstanceOf<DeadlineException>()
        }
    })
