package dev.reprise.coroutines

import dev.reprise.core.BadResultException
import dev.reprise.core.CallOptions
import dev.reprise.core.Polling
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class)
class PollTest :
    FunSpec({
        val everySecond = Polling.every(1.seconds, deadline = 1.minutes)

        fun TestScope.retrier(vararg listeners: RetryListener) = Retrier.builder(
            RetryPolicy.STANDARD,
        ).listeners(listeners.toList()).clock(testTimeSource.asNanoClock()).build()

        virtual("a poll goes on until a result is good, past any quota, and the next call has all of it") {
            val retrier = retrier()
            val job = retrier.pollUntil(everySecond, { it == 50 }) { it.number }
            job shouldBe 50
            currentTime shouldBe 49_000
            retrier.quota!!.available shouldBe 500
            var attempts = 0
            retrier.outcome<Unit> {
                attempts++
                throw IOException()
            }
            attempts shouldBe 3
        }

        virtual("at its deadline it throws what it saw last, and what it did so far") {
            val timeout = shouldThrow<BadResultException> {
                retrier().pollUntil(everySecond, CallOptions("job"), { false }) { "look ${it.number}" }
            }
            timeout.message shouldBe "no acceptable result in 60 attempts, stopped: deadline"
            timeout.result shouldBe "look 60"
            timeout.reason shouldBe StopReason.DEADLINE
            RetryTrace.of(timeout)!!.attempts shouldBe 60
            currentTime shouldBe 59_000
        }

        virtual("its outcome tells the same") {
            retrier().pollOutcome(everySecond, {
                false
            }) { it.number }.shouldBeInstanceOf<RetryOutcome.BadResult<Int>>()
                .run {
                    value shouldBe 60
                    attempts shouldBe 60
                    reason shouldBe StopReason.DEADLINE
                }
            retrier().pollOutcome(everySecond, { true }) { it.number }.shouldBeInstanceOf<RetryOutcome.Success<Int>>()
        }

        virtual("null can be good, and failures between looks do not end it unless no attempt would help") {
            retrier().pollUntil(everySecond, { it == null }) {
                if (it.number < 4) throw IOException("not up yet")
                if (it.number < 6) "no" else null
            } shouldBe null
            currentTime shouldBe 5_000
            shouldThrow<IllegalStateException> { retrier().pollUntil(everySecond, { true }) { error("bug") } }
            shouldThrow<ArithmeticException> { retrier().pollUntil(everySecond, { 1 / it == 0 }) { 0 } }
        }

        virtual("cancellation ends it in a wait, and listeners hear one call") {
            val events = mutableListOf<RetryEvent>()
            val poll = launch { retrier({ events += it }).pollUntil(everySecond, { false }) { } }
            delay(2_500)
            poll.cancelAndJoin()
            currentTime shouldBe 2_500
            events.count { it is RetryEvent.CallStarted } shouldBe 1
            events.last().shouldBeInstanceOf<RetryEvent.CallCancelled>().attempts shouldBe 3
        }

        virtual("one that stands alone works the same") {
            val done = async { pollUntil(Polling.every(1.seconds, 1.minutes), { it > 2 }) { it.number } }
            done.await() shouldBe 3
            currentTime shouldBe 2_000
        }
    })
