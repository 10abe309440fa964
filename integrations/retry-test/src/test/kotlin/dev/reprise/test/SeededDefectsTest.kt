package dev.reprise.test

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.retry
import dev.reprise.java.JavaRetrier
import dev.reprise.java.StageSupplier
import dev.reprise.java.ThrowingSupplier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import java.io.IOException
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds

/** Sound loops, Reprise's and hand-written ones. */
private val SOUND = mapOf(
    "Reprise on a thread" to Subject.blocking { time, fetch ->
        val retrier = time.javaRetrier()
        Callable { retrier.call(ThrowingSupplier<String, Exception> { fetch() }) }
    },
    "Reprise on a thread, in real time" to Subject.blocking { _, fetch ->
        val retrier = JavaRetrier.of(RetryPolicy.STANDARD)
        Callable { retrier.call(ThrowingSupplier<String, Exception> { fetch() }) }
    },
    "Reprise in a coroutine" to Subject.suspending { time, fetch ->
        val retrier = time.retrier()
        suspend { retrier { fetch() } }
    },
    "Reprise in a coroutine, with drawn waits" to Subject.suspending { time, fetch ->
        val retrier = time.retrier(draws = { Random.nextDouble() })
        suspend { retrier { fetch() } }
    },
    "Reprise in a coroutine, with draws from a seed" to Subject.suspending { time, fetch ->
        val random = Random(42)
        val retrier = time.retrier(draws = { random.nextDouble() })
        suspend { retrier { fetch() } }
    },
    "Reprise in a flow" to Subject.suspending { time, fetch ->
        val retrier = time.retrier()
        suspend { flow { emit(fetch()) }.retry(retrier).single() }
    },
    "Reprise in futures" to Subject.async { time, fetch ->
        val retrier = time.javaRetrier()
        Supplier<CompletableFuture<String>> { retrier.callAsync(StageSupplier { fetch() }) }
    },
    "a loop that sleeps" to blocking { made, e, _ ->
        rethrowUnless(e is IOException && made < 3, e)
        Thread.sleep(20L * made)
    },
    "a loop that sleeps for a drawn time" to blocking { made, e, _ ->
        rethrowUnless(e is IOException && made < 3, e)
        Thread.sleep(Random.nextLong(5, 40))
    },
    "a loop under a lock" to Subject.blocking { time, fetch ->
        val lock = Any()
        Callable {
            synchronized(lock) {
                fetching(fetch) { made, e ->
                    rethrowUnless(e is IOException && made < 3, e)
                    time.await(50.milliseconds)
                }
            }
        }
    },
    "a loop in a coroutine, with drawn waits" to Subject.suspending { _, fetch ->
        suspend {
            fetching({ fetch() }) { made, e ->
                rethrowUnless(e is IOException && made < 3, e)
                delay(Random.nextLong(10, 90))
            }
        }
    },
    "a chain of futures" to SOUND_CHAIN,
    "an operation that returns nothing" to Subject.suspending { time, fetch ->
        val retrier = time.retrier()
        suspend { retrier { fetch() }.let { } }
    },
)

/** Whether the probe can be trusted: it finds every seeded defect, and accuses no sound loop. */
class SeededDefectsTest :
    FunSpec({
        val probe = FaultProbe({ IOException("reset") })

        for (defect in DEFECTS) {
            test("found: $defect") { defect.probe.findings(defect.subject).map { it.kind } shouldContain defect.kind }
        }

        for ((name, subject) in SOUND) test("not accused: $name") { probe.findings(subject).shouldBeEmpty() }
    })
