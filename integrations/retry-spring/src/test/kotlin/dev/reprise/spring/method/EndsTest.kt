package dev.reprise.spring.method

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.runTest
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import reactor.core.Exceptions
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.test.scheduler.VirtualTimeScheduler
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.seconds

/** Methods whose first attempts hang, then fail, as they are told; then they return. */
open class Slow {
    lateinit var time: VirtualTime
    var hangs = 0
    var failures = 0
    var calls = 0
    var cancelled = 0

    /** Whether this attempt hangs; throws if it fails. */
    private fun isHanging(): Boolean {
        calls++
        if (calls <= hangs) return true
        if (calls <= hangs + failures) throw ConnectException("attempt $calls")
        return false
    }

    @Retry("timed")
    open fun plain(): String {
        if (isHanging()) {
            try {
                time.await(1.hours)
            } catch (e: InterruptedException) {
                cancelled++
                throw e
            }
        }
        return "done"
    }

    @Retry("timed")
    open fun future(): CompletableFuture<String> {
        if (!isHanging()) return CompletableFuture.completedFuture("done")
        return CompletableFuture<String>().also { it.whenComplete { _, _ -> if (it.isCancelled) cancelled++ } }
    }

    @Retry("timed")
    open suspend fun suspending(): String = hangOrReturn()

    @Retry("timed")
    open fun elements(): Flow<String> = flow { emit(hangOrReturn()) }

    private suspend fun hangOrReturn(): String {
        if (!isHanging()) return "done"
        try {
            awaitCancellation()
        } finally {
            cancelled++
        }
    }

    @Retry("timed")
    open fun mono(): Mono<String> = Mono.defer {
        if (isHanging()) Mono.never<String>().doOnCancel { cancelled++ } else Mono.just("done")
    }

    @Retry("timed")
    open fun brokenElements(): Flow<String> = flow {
        emit("first")
        emit(hangOrReturn())
    }

    @Retry("timed")
    open suspend fun laterBrokenElements(): Flow<String> = brokenElements()

    @Retry("timed")
    open fun brokenFlux(): Flux<String> = Flux.just("first").concatWith(mono())

    @Retry("timed")
    open fun flux(): Flux<String> = mono().flux()
}

private val POLICY = RetryPolicy {
    maxAttempts = 3
    attemptTimeout = 2.seconds
    backoff = Backoff.fixed(1.seconds)
}

/** [Slow] behind its proxy, in virtual time. */
private class Bench(policy: RetryPolicy = POLICY) : AutoCloseable {
    val time = VirtualTime()
    val reactor: VirtualTimeScheduler = VirtualTimeScheduler.getOrSet()
    val recorder = Recorder()
    private val context = AnnotationConfigApplicationContext().apply {
        val inTime = RetryConfigurer { _, builder ->
            builder.clock(time).draws(VirtualTime.LONGEST).waiter(time).executor(time.executor).listener(recorder)
        }
        registerBean(RetryRegistry::class.java, mapOf("timed" to policy), listOf(inTime))
        register(RepriseConfiguration::class.java, Slow::class.java)
        refresh()
    }
    val service: Slow = context.getBean(Slow::class.java)
    val target: Slow = targetOf(service).also { it.time = time }

    override fun close() {
        context.close()
        VirtualTimeScheduler.reset()
    }
}

/** How a kind of method is called to its end. */
private val KINDS: Map<String, (Bench) -> String> = mapOf(
    "plain" to { it.service.plain() },
    "future" to { it.time.join(it.service.future()) },
    "suspend" to { bench -> inTest { bench.service.suspending() } },
    "flow" to { bench -> inTest { bench.service.elements().single() } },
    "Mono" to { bench -> bench.joined(bench.service.mono()) },
    "Flux" to { bench -> bench.joined(bench.service.flux().single()) },
)

private fun inTest(work: suspend () -> String): String {
    lateinit var result: String
    runTest { result = work() }
    return result
}

private fun Bench.joined(mono: Mono<String>): String {
    val future = mono.toFuture()
    reactor.advanceTimeBy(java.time.Duration.ofMinutes(1))
    return future.get()!!
}

/** How a kind of method is called, left alone until nothing but time goes on, and then cancelled. */
private val CANCELLED: Map<String, (Bench) -> Unit> = mapOf(
    "future" to { it.service.future().cancel(true) },
    "suspend" to { bench -> cancelled { bench.service.suspending() } },
    "flow" to { bench -> cancelled { bench.service.elements().collect {} } },
    "Mono" to { it.service.mono().subscribe().dispose() },
    "Flux" to { it.service.flux().subscribe().dispose() },
)

private fun cancelled(work: suspend () -> Unit) = runTest {
    val job = launch(start = CoroutineStart.UNDISPATCHED) { work() }
    testScheduler.runCurrent()
    job.cancelAndJoin()
}

/** How what emits one element and then fails is collected. */
private val BROKEN: Map<String, (Bench) -> Unit> = mapOf(
    "flow" to { bench -> runTest { bench.service.brokenElements().collect {} } },
    "suspend flow" to { bench -> runTest { bench.service.laterBrokenElements().collect {} } },
    "Flux" to { it.service.brokenFlux().blockLast() },
)

class EndsTest :
    FunSpec({
        // The attempt timeout of a policy does not hold for a Flow, which may go on for as long as it likes.
        for ((kind, call) in KINDS.minus("flow")) {
            test("a $kind method whose attempts hang is cut off, and called again") {
                Bench().use { bench ->
                    bench.target.hangs = 2

                    call(bench) shouldBe "done"

                    bench.target.calls shouldBe 3
                    bench.target.cancelled shouldBe 2
                }
            }

            test("a $kind method that always hangs ends with an AttemptTimeoutException") {
                Bench().use { bench ->
                    bench.target.hangs = 9

                    val thrown = runCatching { call(bench) }.exceptionOrNull()!!

                    val own = if (thrown is ExecutionException) thrown.cause!! else Exceptions.unwrap(thrown)
                    generateSequence<Throwable>(own) { it.cause }.first { it is AttemptTimeoutException }
                        .shouldBeInstanceOf<AttemptTimeoutException>()
                    RetryTrace.of(thrown)!!.attempts shouldBe 3
                    bench.target.cancelled shouldBe 3
                }
            }
        }

        for ((kind, cancel) in CANCELLED) {
            test("a $kind method that is cancelled in its attempt is not called again, and its attempt is cancelled") {
                Bench(POLICY.with { attemptTimeout = null }).use { bench ->
                    bench.target.hangs = 1

                    cancel(bench)
                    bench.time.settle()

                    bench.target.calls shouldBe 1
                    bench.target.cancelled shouldBe 1
                    bench.recorder.call.assertEndedOnce().assertReason(StopReason.CANCELLED)
                    bench.time.pending shouldBe 0
                }
            }

            test("a $kind method that is cancelled in a wait is not called again, and gives its tokens back") {
                Bench().use { bench ->
                    bench.target.failures = 9

                    cancel(bench)
                    bench.time.runToEnd()
                    bench.reactor.advanceTimeBy(java.time.Duration.ofHours(1))

                    bench.target.calls shouldBe 1
                    bench.recorder.call.assertEndedOnce().assertReason(StopReason.CANCELLED).assertNetTokens(0)
                }
            }
        }

        for ((kind, collect) in BROKEN) {
            test("a $kind that breaks after its first element ends as not replayable, with a trace") {
                Bench().use { bench ->
                    bench.target.failures = 9

                    val thrown = runCatching { collect(bench) }.exceptionOrNull()!!

                    Exceptions.unwrap(thrown).message shouldBe "attempt 1"
                    RetryTrace.of(Exceptions.unwrap(thrown))!!.reason shouldBe StopReason.NOT_REPLAYABLE
                    bench.target.calls shouldBe 1
                    bench.recorder.call.assertEndedOnce().assertReason(StopReason.NOT_REPLAYABLE).assertNetTokens(0)
                }
            }
        }

        test("a plain method whose thread is interrupted is not called again, and the flag stays") {
            Bench().use { bench ->
                bench.target.failures = 9
                Thread.currentThread().interrupt()

                runCatching { bench.service.plain() }.isFailure shouldBe true

                Thread.interrupted() shouldBe true
                bench.target.calls shouldBe 1
                bench.recorder.call.assertEndedOnce().assertReason(StopReason.CANCELLED).assertNetTokens(0)
            }
        }
    })
