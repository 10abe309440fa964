package dev.reprise.reactor

import dev.reprise.build.logged
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.withTimeout
import org.reactivestreams.Subscription
import reactor.core.Disposable
import reactor.core.publisher.BaseSubscriber
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers
import reactor.test.StepVerifier
import reactor.test.publisher.TestPublisher
import reactor.test.scheduler.VirtualTimeScheduler
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicReference
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private val HOURLY = RetryPolicy {
    maxAttempts = 5
    backoff = Backoff.fixed(1.hours)
}

/** Has not asked for anything yet. */
private class Undecided : BaseSubscriber<Int>() {
    override fun hookOnSubscribe(subscription: Subscription) = Unit
}

class MonoRetryTest :
    FunSpec({
        afterTest { VirtualTimeScheduler.reset() }

        test("a hedge, which sends no copy here, is told once") {
            val retrier = Retrier(RetryPolicy { hedge = Hedge() })
            val told = logged("dev.reprise") {
                Mono.just(1).retry(retrier).block()
                Flux.just(1).retry(retrier).blockLast()
            }
            told.map { it.message } shouldContainExactly listOf("a policy has a hedge, and Reactor sends no copies")
        }

        test("a mono that fails is subscribed again after its wait, in virtual time") {
            val lab = Lab(HOURLY)
            lab.verify { lab.failing(3).retry(lab.retrier) }
                .expectSubscription()
                .expectNoEvent(Duration.ofHours(3).minusNanos(1))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(4)
                .verifyComplete()
            lab.recorder.call.reason shouldBe StopReason.SUCCESS
        }

        test("nothing happens before someone subscribes, and each subscription is a call") {
            val lab = Lab(HOURLY)
            val mono = lab.failing(0).retry(lab.retrier)
            lab.attempts shouldBe 0
            StepVerifier.create(mono).expectNext(1).verifyComplete()
            StepVerifier.create(mono).expectNext(2).verifyComplete()
            lab.recorder.calls.size shouldBe 2
        }

        test("a retry whose start cancels the subscription is not made, and gives back its tokens") {
            var subscription: Disposable? = null
            val retrier = Retrier(RetryPolicy { noBackoff() }) {
                listener { if (it is RetryEvent.AttemptStarted && it.attempt == 2) subscription!!.dispose() }
            }
            var attempts = 0
            val fails = CompletableFuture<IOException>()
            val mono = retrier.mono {
                attempts++
                Mono.fromFuture(fails).flatMap { Mono.error<Int>(it) }
            }
            subscription = mono.subscribe()
            fails.complete(IOException("reset"))
            attempts shouldBe 1
            retrier.quota!!.available shouldBe retrier.quota!!.capacity
        }

        test("a mono that completes empty has succeeded") {
            val lab = Lab()
            StepVerifier.create(Mono.empty<Int>().retry(lab.retrier)).verifyComplete()
            lab.recorder.call.reason shouldBe StopReason.SUCCESS
        }

        test("a classifier of results is asked about an empty mono, as about a null") {
            val lab =
                Lab(HOURLY.with { classifier = Classifier.results { Verdict.TRANSIENT.takeIf { _ -> it == null } } })
            val empty = Mono.defer { if (lab.begins() < 3) Mono.empty() else Mono.just("there") }
            lab.verify { empty.retry(lab.retrier) }.thenAwait(Duration.ofHours(2)).expectNext("there").verifyComplete()
        }

        test("a rejected result goes to doOnDiscard before the next attempt, the last one to the subscriber") {
            val lab = Lab(
                HOURLY.with {
                    classifier = Classifier.results { Verdict.TRANSIENT.takeIf { _ -> it is Int && it < 9 } }
                },
            )
            val discarded = mutableListOf<Int>()
            lab.verify { lab.failing(0).retry(lab.retrier).doOnDiscard(Number::class.java) { discarded += it.toInt() } }
                .thenAwait(Duration.ofHours(5)).expectNext(5).verifyComplete()
            discarded shouldContainExactly listOf(1, 2, 3, 4)
        }

        test("the outcome of a call has its facts") {
            val lab = Lab(HOURLY)
            lab.verify { lab.failing(9).outcome(lab.retrier, CallOptions.named("orders")) }
                .thenAwait(Duration.ofHours(5))
                .assertNext {
                    it.shouldBeInstanceOf<RetryOutcome.Failure>()
                    it.attempts shouldBe 5
                    it.totalDelay shouldBe 4.hours
                }
                .verifyComplete()
            lab.recorder.call.events.first().operation shouldBe "orders"
            StepVerifier.create(Mono.empty<Int>().outcome(lab.retrier))
                .assertNext { it.getOrThrow() shouldBe null }.verifyComplete()
        }

        test("the function sees its attempt; what it throws fails that") {
            val lab = Lab(HOURLY)
            lab.verify {
                lab.retrier.mono {
                    if (it.number < 3) throw IOException("early") else Mono.just(it.lastFailure!!.message!!)
                }
            }.thenAwait(Duration.ofHours(2)).expectNext("early").verifyComplete()
        }

        test("every attempt sees the context of the subscriber") {
            val lab = Lab(HOURLY)
            val seen = mutableListOf<String>()
            val reading = Mono.deferContextual {
                seen += it.get<String>("user")
                lab.failing(2)
            }
            lab.verify { reading.retry(lab.retrier).contextWrite { it.put("user", "ada") } }
                .thenAwait(Duration.ofHours(2)).expectNext(3).verifyComplete()
            seen shouldContainExactly listOf("ada", "ada", "ada")
        }

        test("an attempt that hangs is cancelled at its limit, and the next one begins") {
            val lab = Lab(
                RetryPolicy {
                    attemptTimeout = 2.seconds
                    backoff = Backoff.IMMEDIATE
                },
            )
            var cancelled = 0
            val hanging = Mono.defer { if (lab.begins() < 3) Mono.never() else Mono.just("done") }
            lab.verify { hanging.doOnCancel { cancelled++ }.retry(lab.retrier) }
                .expectSubscription()
                .expectNoEvent(Duration.ofSeconds(4).minusNanos(1))
                .thenAwait(Duration.ofNanos(1)).expectNext("done").verifyComplete()
            cancelled shouldBe 2
        }

        test("a timeout of the caller's own inside the attempt is a transient failure") {
            val lab = Lab(HOURLY)
            val slow = Mono.defer { if (lab.begins() < 2) Mono.never() else Mono.just("done") }
            lab.verify { slow.timeout(Duration.ofSeconds(1)).retry(lab.retrier) }
                .thenAwait(Duration.ofHours(2)).expectNext("done").verifyComplete()
        }

        test("so is a coroutine's withTimeout, and any other cancellation from the attempt ends the call") {
            val timeout = shouldThrow<TimeoutCancellationException> { withTimeout(0) {} }
            for ((failure, attempts) in mapOf(timeout to 2, CancellationException() to 1)) {
                val lab = Lab(HOURLY)
                val attempt = Mono.defer { if (lab.begins() < 2) Mono.error(failure) else Mono.just("done") }
                lab.verify { attempt.retry(lab.retrier).onErrorReturn(CancellationException::class.java, "cancelled") }
                    .thenAwait(Duration.ofHours(2)).expectNext(
                        if (attempts > 1) {
                            "done"
                        } else {
                            "cancelled"
                        },
                    ).verifyComplete()
                lab.attempts shouldBe attempts
            }
        }

        test("a cancelled subscription ends the wait: what the retry cost comes back") {
            val lab = Lab(HOURLY.with { quota = RetryPolicy.STANDARD.quota })
            lab.verify { lab.failing(9).retry(lab.retrier) }
                .expectSubscription().expectNoEvent(Duration.ofMinutes(30)).thenCancel().verify()
            lab.attempts shouldBe 1
            lab.recorder.call.reason shouldBe StopReason.CANCELLED
            lab.retrier.quota!!.available shouldBe lab.retrier.quota!!.capacity
        }

        test("a cancelled subscription cancels the attempt under way; nothing is signalled any more") {
            val lab = Lab()
            val source = TestPublisher.createNoncompliant<Int>(TestPublisher.Violation.DEFER_CANCELLATION)
            val discarded = mutableListOf<Int>()
            val mono = Mono.fromDirect(source).retry(lab.retrier)
            val signals = mutableListOf<Any>()
            mono.doOnDiscard(Number::class.java) { discarded += it.toInt() }
                .subscribe({ signals += it }, { signals += it }, { signals += "complete" })
                .dispose()
            source.assertCancelled()
            source.next(7)
            discarded shouldContainExactly listOf(7)
            signals shouldBe emptyList()
            lab.recorder.call.reason shouldBe StopReason.CANCELLED
        }

        test("a cancelled subscription stops a source that computes in the call of subscribe, in any attempt") {
            for (failures in 0..2) {
                val lab = Lab(HOURLY.with { backoff = Backoff.IMMEDIATE })
                val subscriber = Undecided()
                var computed = 0
                val steps = Flux.range(1, 100_000).doOnNext {
                    computed = it
                    if (it == 3) subscriber.cancel()
                }
                lab.retrier.mono {
                    if (it.number <= failures) Mono.error(IOException()) else steps.count().map { it.toInt() }
                }.subscribe(subscriber)
                computed shouldBe 3
                lab.recorder.call.reason shouldBe StopReason.CANCELLED
                lab.recorder.call.attempts shouldBe failures + 1
            }
        }

        test("a result waits until it is asked for; one that nobody asks for is discarded") {
            val lab = Lab()
            val discarded = mutableListOf<Int>()
            val mono = lab.failing(0).retry(lab.retrier).doOnDiscard(Number::class.java) { discarded += it.toInt() }
            StepVerifier.create(mono, 0).expectSubscription().thenRequest(1).expectNext(1).verifyComplete()
            mono.subscribeWith(Undecided()).cancel()
            discarded shouldContainExactly listOf(2)
        }

        test("a hundred thousand attempts without a wait do not grow the stack") {
            val policy = RetryPolicy {
                maxAttempts = 100_000
                backoff = Backoff.IMMEDIATE
                quota = null
                trace = false
            }
            StepVerifier.create(Lab().failing(99_999).retry(Retrier(policy))).expectNext(100_000).verifyComplete()
        }

        test("an attempt that follows a wait is subscribed on the scheduler, and no thread is blocked") {
            val thread = AtomicReference<Thread>()
            val retrier = Retrier(RetryPolicy { backoff = Backoff.fixed(1.milliseconds) })
            val scheduler = Schedulers.newSingle("own")
            var attempts = 0
            val mono = Mono.fromCallable {
                thread.set(Thread.currentThread())
                if (attempts++ == 0) throw IOException() else Schedulers.isInNonBlockingThread()
            }
            StepVerifier.create(mono.retry(retrier, scheduler = scheduler)).expectNext(true).verifyComplete()
            thread.get().name.startsWith("own") shouldBe true
            scheduler.dispose()
        }

        test("a scheduler that refuses ends the call with its refusal") {
            val lab = Lab { clock = NanoClock { 0 } }
            val scheduler = Schedulers.newSingle("gone").apply { dispose() }
            StepVerifier.create(lab.failing(2).retry(lab.retrier, scheduler = scheduler))
                .expectError(java.util.concurrent.RejectedExecutionException::class.java).verify(Duration.ofSeconds(9))
            lab.recorder.call.netTokens shouldBe 0
        }

        test("a clock that throws fails the subscription") {
            val broken = IllegalStateException("clock")
            val lab = Lab { clock = NanoClock { throw broken } }
            StepVerifier.create(lab.failing(0).retry(lab.retrier)).expectErrorSatisfies {
                it shouldBeSameInstanceAs broken
            }.verify()
            lab.attempts shouldBeLessThan 1
        }
    })
