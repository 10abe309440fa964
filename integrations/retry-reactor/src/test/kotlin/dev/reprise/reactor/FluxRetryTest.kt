package dev.reprise.reactor

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import org.reactivestreams.Subscription
import reactor.core.publisher.BaseSubscriber
import reactor.core.publisher.Flux
import reactor.core.scheduler.Schedulers
import reactor.test.StepVerifier
import reactor.test.publisher.TestPublisher
import reactor.test.scheduler.VirtualTimeScheduler
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.seconds

private val HOURLY = RetryPolicy {
    maxAttempts = 5
    backoff = Backoff.fixed(1.hours)
}

private val AT_ONCE = RetryPolicy {
    maxAttempts = 5
    backoff = Backoff.IMMEDIATE
}

/** Asks for as many elements as it is told, and keeps them. */
private class Asking : BaseSubscriber<Int>() {
    val seen = mutableListOf<Int>()
    var isComplete = false
    var failure: Throwable? = null

    override fun hookOnSubscribe(subscription: Subscription) = Unit

    override fun hookOnNext(value: Int) {
        seen += value
    }

    override fun hookOnComplete() {
        isComplete = true
    }

    override fun hookOnError(throwable: Throwable) {
        failure = throwable
    }
}

class FluxRetryTest :
    FunSpec({
        afterTest { VirtualTimeScheduler.reset() }

        /** Gives [sizes] of the attempt's number elements, and then fails, but for the last one, which completes. */
        fun Lab.elements(vararg sizes: Int): Flux<Int> = Flux.defer {
            val number = begins()
            val elements = Flux.range(1, sizes[number - 1])
            if (number < sizes.size) elements.concatWith(Flux.error(IOException("attempt $number"))) else elements
        }

        test("a flux that fails before its first element is subscribed again after its wait") {
            val lab = Lab(HOURLY)
            StepVerifier.withVirtualTime { lab.inTime(lab.elements(0, 0, 3).retry(lab.retrier)) }
                .expectSubscription()
                .expectNoEvent(Duration.ofHours(2))
                .expectNext(1, 2, 3).verifyComplete()
            lab.recorder.call.reason shouldBe StopReason.SUCCESS
        }

        test("a failure after the first element is passed on, with its trace") {
            val lab = Lab(AT_ONCE)
            StepVerifier.create(lab.elements(0, 2, 3).retry(lab.retrier))
                .expectNext(1, 2)
                .expectErrorSatisfies {
                    it.message shouldBe "attempt 2"
                    it.suppressed.filterIsInstance<RetryTrace>().single().reason shouldBe StopReason.NOT_REPLAYABLE
                }.verify()
            lab.attempts shouldBe 2
        }

        test("no element is passed on twice, and elements arrive in order, whatever attempts come to") {
            checkAll(Arb.list(Arb.int(0..3), 1..5)) { sizes ->
                val lab = Lab(AT_ONCE)
                val last = sizes.indexOfFirst { it > 0 }.takeIf { it >= 0 } ?: sizes.lastIndex
                val fails = last < sizes.lastIndex
                val seen = Asking()
                lab.elements(*sizes.toIntArray()).retry(lab.retrier).subscribe(seen)
                seen.request(Long.MAX_VALUE)
                seen.seen shouldContainExactly (1..sizes[last]).toList()
                seen.isComplete shouldBe !fails
                lab.attempts shouldBe last + 1
            }
        }

        test("the subscriber gets no more than it asked for, over all attempts") {
            val lab = Lab(AT_ONCE)
            val asking = Asking()
            lab.elements(0, 0, 5).retry(lab.retrier).subscribe(asking)
            asking.seen shouldBe emptyList()
            asking.request(2)
            asking.request(1)
            asking.seen shouldContainExactly listOf(1, 2, 3)
            asking.isComplete shouldBe false
            asking.request(2)
            asking.seen shouldContainExactly listOf(1, 2, 3, 4, 5)
            asking.isComplete shouldBe true
        }

        test("what was asked for before a failure is asked of the next attempt") {
            val lab = Lab(AT_ONCE)
            val first = TestPublisher.create<Int>()
            val second = TestPublisher.create<Int>()
            val asking = Asking()
            lab.retrier.flux { (if (it.number == 1) first else second).flux() }.subscribe(asking)
            asking.request(3)
            asking.request(4)
            first.error(IOException("reset"))
            second.assertMinRequested(7)
            second.assertNotCancelled()
        }

        test("a slow subscriber on another thread gets every element once") {
            val lab = Lab(AT_ONCE)
            val flux = lab.elements(0, 10_000).retry(lab.retrier).publishOn(Schedulers.parallel(), 7)
            StepVerifier.create(flux).expectNextCount(10_000).verifyComplete()
        }

        test("a subscriber that has had enough has had a success; one that had nothing has cancelled") {
            val enough = Lab(AT_ONCE)
            StepVerifier.create(enough.elements(0, 5).retry(enough.retrier).take(2)).expectNext(1, 2).verifyComplete()
            enough.recorder.call.reason shouldBe StopReason.SUCCESS
            enough.recorder.call.netTokens shouldBe 0
            val nothing = Lab(HOURLY.with { quota = RetryPolicy.STANDARD.quota })
            nothing.elements(0, 5).retry(nothing.retrier).subscribe().dispose()
            nothing.recorder.call.reason shouldBe StopReason.CANCELLED
            nothing.recorder.call.netTokens shouldBe 0
        }

        test("the attempt timeout holds until the first element, the deadline until the end") {
            val lab = Lab(
                AT_ONCE.with {
                    attemptTimeout = 2.seconds
                    deadline = 30.seconds
                },
            )
            val ticks = Flux.defer { Flux.interval(Duration.ofSeconds(1), Duration.ofSeconds(10)) }.map { it.toInt() }
            val flux = lab.retrier.flux { if (it.number == 1) Flux.never() else ticks }
            StepVerifier.withVirtualTime { lab.inTime(flux) }
                .expectSubscription().expectNoEvent(Duration.ofSeconds(3)).expectNext(0)
                .expectNoEvent(Duration.ofSeconds(10)).expectNext(1)
                .expectNoEvent(Duration.ofSeconds(10)).expectNext(2)
                .expectNoEvent(Duration.ofSeconds(7)).expectErrorSatisfies {
                    // What the deadline left it when it began.
                    it.shouldBeInstanceOf<AttemptTimeoutException>().timeout shouldBe 28.seconds
                    it.message shouldBe "attempt 2 took longer than 28s"
                }.verify()
            lab.recorder.call.attempts shouldBe 2
        }

        test("a subscriber that has had enough stops a source that emits all at once, in any attempt") {
            for (failures in 0..2) {
                val lab = Lab(AT_ONCE)
                var emitted = 0
                var cancelled = 0
                val source = Flux.range(1, 100_000).doOnNext { emitted++ }.doOnCancel { cancelled++ }
                val flux = lab.retrier.flux { if (it.number <= failures) Flux.error(IOException()) else source }
                StepVerifier.create(flux.takeUntil { it == 3 }).expectNext(1, 2, 3).verifyComplete()
                emitted shouldBe 3
                cancelled shouldBe 1
                lab.recorder.call.reason shouldBe StopReason.SUCCESS
                lab.recorder.call.attempts shouldBe failures + 1
            }
        }

        test("what a source emits after its subscriber has cancelled is discarded") {
            val lab = Lab(AT_ONCE)
            val source = TestPublisher.createNoncompliant<Int>(TestPublisher.Violation.DEFER_CANCELLATION)
            val discarded = mutableListOf<Int>()
            val asking = Asking()
            Flux.from(source).retry(lab.retrier).doOnDiscard(Number::class.java) { discarded += it.toInt() }
                .subscribe(asking)
            asking.request(9)
            source.next(1)
            asking.cancel()
            source.next(2)
            asking.seen shouldContainExactly listOf(1)
            discarded shouldContainExactly listOf(2)
        }

        test("a subscriber that cancels before the first attempt has used no send permit") {
            val start = 0L
            val later = 10_000_000_000L
            val rate = SendRate(SendRateSettings.EXACT, start).apply { record(throttled = true, start, start) }
            val retrier = Retrier(RetryPolicy { sendRate = SendRateSettings.EXACT }) {
                clock { later }
                sendRate(rate)
            }
            val permits = rate.state.tokensAt(later)
            val leaving = object : BaseSubscriber<Int>() {
                override fun hookOnSubscribe(subscription: Subscription) = cancel()
            }
            retrier.flux<Int> { error("never made") }.subscribe(leaving)
            rate.state.tokensAt(later) shouldBe permits
        }

        test("an attempt that fails at once is not followed by a subscriber's cancelled one") {
            val lab = Lab(HOURLY)
            lab.retrier.flux<Int> { error("never made") }.subscribe(Asking().also { it.cancel() })
            lab.attempts shouldBe 0
        }
    })
