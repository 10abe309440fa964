package dev.reprise.test

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.java.StageSupplier
import dev.reprise.java.ThrowingSupplier
import dev.reprise.test.Finding.Kind
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.IOException
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

private val WAIT = 50.milliseconds

/** A hand-written loop, sound but for what a test changes in it. */
private fun loop(
    attempts: Int = 3,
    waits: Boolean = true,
    catches: (Throwable) -> Boolean = { it is IOException },
    growing: Iterator<Duration>? = null,
) = blocking { made, e, time ->
    rethrowUnless(catches(e) && made < attempts, e)
    if (waits) time.await(growing?.next() ?: WAIT)
}

/** A loop of futures that counts the attempts of all its calls together. */
private class SharedLoop(private val time: VirtualTime, private val fetch: () -> CompletableFuture<String>) {
    private var left = 0

    fun start(): CompletableFuture<String> {
        left = 3
        return CompletableFuture<String>().also(::attempt)
    }

    private fun attempt(end: CompletableFuture<String>) {
        fetch().whenComplete { result, failure ->
            when {
                failure == null -> end.complete(result)
                --left <= 0 -> end.completeExceptionally(failure)
                else -> time.after(WAIT) { attempt(end) }
            }
        }
    }
}

private fun kinds(subject: Subject, probe: FaultProbe = FaultProbe({ IOException("reset") })) =
    probe.findings(subject).map { it.kind }.distinct()

class FaultProbeTest :
    FunSpec({
        test("a sound loop passes") { kinds(loop()).shouldContainExactly() }

        test("a loop without a cap is found") { kinds(loop(attempts = Int.MAX_VALUE)) shouldContain Kind.MISSING_CAP }

        test("more attempts than a cap of one's own are found, as many are not") {
            val probe = FaultProbe({ IOException("reset") })
            kinds(loop(attempts = 5), probe.withCap(4)) shouldContain Kind.MISSING_CAP
            kinds(loop(attempts = 5), probe.withCap(5)).shouldContainExactly()
        }

        test("a cap below 1, and a probe without failures, are refused") {
            val probe = FaultProbe({ IOException("reset") })
            for (calls in listOf(-1, 0, 1_000_001)) {
                shouldThrow<IllegalArgumentException> { probe.withCap(calls) }
                    .message shouldBe "calls must be from 1 to 1000000: $calls"
            }
            kinds(loop(attempts = 1), probe.withCap(1)).shouldContainExactly(Kind.NO_RETRY)
            shouldThrow<IllegalArgumentException> { FaultProbe().assertSound(loop()) }
                .message shouldBe "failures must be at least 1, of either kind: 0. Nothing would be probed"
            kinds(loop(), FaultProbe().withFinal({ IllegalArgumentException("bad id") })).shouldContainExactly()
        }

        test("a loop without a cap that joins its futures is found, and the probe ends") {
            val subject = Subject.async { time, fetch ->
                Supplier {
                    CompletableFuture.completedFuture(fetching({ fetch().join() }) { _, _ -> time.await(WAIT) })
                }
            }
            kinds(subject) shouldContain Kind.MISSING_CAP
        }

        test("a loop without a delay is found") { kinds(loop(waits = false)).shouldContainExactly(Kind.MISSING_DELAY) }

        test("a drawn wait in real time that is too short to be seen is no missing delay") {
            for (short in 1..4) {
                var waits = 0
                val subject = blocking { made, e, _ ->
                    rethrowUnless(e is IOException && made < 3, e)
                    if (++waits != short) Thread.sleep(3)
                }
                kinds(subject).shouldContainExactly()
            }
        }

        test("a first retry without a delay is found, though the second one waits") {
            val subject = blocking { made, e, time ->
                rethrowUnless(e is IOException && made < 3, e)
                if (made == 2) time.await(WAIT)
            }
            kinds(subject).shouldContainExactly(Kind.MISSING_DELAY)
        }

        test("code that does not retry is found") { kinds(loop(attempts = 1)).shouldContainExactly(Kind.NO_RETRY) }

        test("a delay that is not reset is found") {
            val longer = generateSequence(WAIT) { it + WAIT }
            kinds(loop(growing = longer.iterator())).shouldContainExactly(Kind.STATE_NOT_RESET)

            // Waits 4 and 5 are those of the first call that always fails, and a busy machine makes one longer.
            for (busy in 4..9) {
                val odd = longer.mapIndexed { i, wait -> if (i + 1 == busy) wait + WAIT * 20 else wait }
                kinds(loop(growing = odd.iterator())).shouldContainExactly(Kind.STATE_NOT_RESET)
            }
        }

        test("a count of attempts that two calls share is found, in coroutines and in futures") {
            kinds(countInCoroutines).shouldContainExactly(Kind.SHARED_STATE)

            val futures = Subject.async { time, fetch ->
                val loop = SharedLoop(time, fetch)
                Supplier { loop.start() }
            }
            kinds(futures) shouldContain Kind.SHARED_STATE
        }

        test("a swallowed interrupt is found") {
            kinds(loop(catches = { true })).shouldContainExactly(Kind.REPEATED_AFTER_CANCELLATION)
        }

        test("a swallowed cancellation of a coroutine is found") {
            kinds(swallowsCancellation) shouldContain Kind.REPEATED_AFTER_CANCELLATION
        }

        test("a failure that is retried in vain is found") {
            val probe = FaultProbe({ IOException("reset") }).withFinal({ IllegalArgumentException("bad id") })
            kinds(loop(catches = { it is IOException || it is IllegalArgumentException }), probe)
                .shouldContainExactly(Kind.RETRIED_IN_VAIN)
            kinds(loop(), probe).shouldContainExactly()
        }

        test("an unsafe repeat is found") {
            val probe = FaultProbe({ IOException("reset") }).ofUnsafeWork()
            kinds(loop(), probe).shouldContainExactly(Kind.UNSAFE_REPEAT)
            val once = CallOptions("pay").with { repeat = Repeat.NEVER }
            val sound = Subject.blocking { time, pay ->
                val retrier = time.javaRetrier().withOptions(once)
                Callable { retrier.call(ThrowingSupplier<String, Exception> { pay() }) }
            }
            probe.assertSound(sound)
        }

        test("a lost failure is found") { kinds(loses).shouldContainExactly(Kind.LOST_FAILURE) }

        test("what is found is told in an AssertionError") {
            // A busy machine puts real time between calls that do not wait.
            shouldThrow<AssertionError> { FaultProbe({ IOException("reset") }).assertSound(loop(waits = false)) }
                .message!! shouldContain
                Regex("""MISSING_DELAY: failed twice with IOException: 3 calls, gaps \[\d+, \d+] ns, then done""")
        }

        test("Reprise passes on every face") {
            val policy = RetryPolicy { retryOn<IOException>() }
            val probe = FaultProbe({ IOException("reset") }).withFinal({ IllegalStateException("bug") })
            probe.assertSound(
                Subject.blocking { time, fetch ->
                    val retrier = time.javaRetrier(policy)
                    Callable { retrier.call(ThrowingSupplier<String, Exception> { fetch() }) }
                },
            )
            probe.assertSound(
                Subject.suspending { time, fetch ->
                    val retrier = time.retrier(policy)
                    suspend { retrier { fetch() } }
                },
            )
            probe.assertSound(
                Subject.async { time, fetch ->
                    val retrier = time.javaRetrier(policy)
                    Supplier<CompletableFuture<String>> { retrier.callAsync(StageSupplier { fetch() }) }
                },
            )
        }
    })
