package dev.reprise.test

import dev.reprise.test.Finding.Kind
import kotlinx.coroutines.delay
import java.io.IOException
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** A loop with a defect, and how it is to be found. */
internal class Defect(
    val name: String,
    val kind: Kind,
    val subject: Subject,
    val probe: FaultProbe = FaultProbe({ IOException("reset") }),
) {
    override fun toString(): String = name
}

private val WAIT = 50.milliseconds

/** Fetches until that succeeds; [afterFailure] waits, or throws to end it. What it does is all that loops differ in. */
internal inline fun fetching(fetch: () -> String, afterFailure: (made: Int, failure: Throwable) -> Unit): String {
    var made = 0
    while (true) {
        try {
            return fetch()
        } catch (e: Throwable) {
            afterFailure(++made, e)
        }
    }
}

/** A loop on a thread. */
internal fun blocking(afterFailure: (made: Int, failure: Throwable, time: VirtualTime) -> Unit) =
    Subject.blocking { time, fetch -> Callable { fetching(fetch) { made, e -> afterFailure(made, e, time) } } }

internal fun rethrowUnless(goesOn: Boolean, failure: Throwable) {
    if (!goesOn) throw failure
}

/** A chain of futures: it goes on unless [isOver] says so. */
private fun chain(isOver: (CompletableFuture<String>) -> Boolean) = Subject.async { time, fetch ->
    fun attempt(made: Int, end: CompletableFuture<String>) {
        fetch().whenComplete { value, failure ->
            when {
                failure == null -> end.complete(value)
                made == 3 || isOver(end) -> end.completeExceptionally(failure)
                else -> time.after(WAIT) { if (!isOver(end)) attempt(made + 1, end) }
            }
        }
    }
    Supplier { CompletableFuture<String>().also { attempt(1, it) } }
}

/** A future that ends as that of [work] does, which begins [wait] later. */
private fun later(
    time: VirtualTime,
    wait: Duration,
    work: () -> CompletableFuture<String>,
): CompletableFuture<String> = CompletableFuture<String>().also { end ->
    time.after(wait) {
        work().whenComplete { value, e -> if (e == null) end.complete(value) else end.completeExceptionally(e) }
    }
}

/** Two operations of one service that keep what they fetch in its field. */
private class Shelf {
    var value: String? = null
    var failure: Throwable? = null
    var count = 0
}

private val valueOnThreads = Subject.blocking { time, fetch ->
    val shelf = Shelf()
    Callable {
        shelf.value = null
        shelf.value = fetching(fetch) { made, e ->
            rethrowUnless(e is IOException && made < 3, e)
            time.await(WAIT)
            if (shelf.value != null) return@Callable shelf.value
        }
        shelf.value
    }
}

private val valueInCoroutines = Subject.suspending { _, fetch ->
    val shelf = Shelf()
    suspend {
        shelf.value = fetching({ fetch() }) { made, e ->
            rethrowUnless(e is IOException && made < 3, e)
            delay(50)
        }
        delay(1)
        shelf.value
    }
}

private val valueInFutures = Subject.async { time, fetch ->
    val shelf = Shelf()
    fun attempt(made: Int): CompletableFuture<String> = fetch().handle { value, failure ->
        when {
            failure == null -> {
                shelf.value = value
                later(time, 1.milliseconds) { CompletableFuture.completedFuture(shelf.value!!) }
            }

            made == 3 -> CompletableFuture.failedFuture(failure)

            else -> later(time, WAIT) { attempt(made + 1) }
        }
    }.thenCompose { it }
    Supplier { attempt(1) }
}

private fun staleOnThreads(isReset: Boolean) = Subject.blocking { time, fetch ->
    val shelf = Shelf()
    Callable {
        if (isReset) shelf.value = null
        fetching({ fetch().also { shelf.value = it } }) { made, e ->
            rethrowUnless(e is IOException, e)
            if (made == 3) return@Callable shelf.value ?: throw e
            time.await(WAIT)
        }
    }
}

private fun staleInCoroutines(isReset: Boolean) = Subject.suspending { _, fetch ->
    val shelf = Shelf()
    suspend {
        if (isReset) shelf.value = null
        var value: String? = null
        try {
            value = fetching({ fetch() }) { made, e ->
                rethrowUnless(e is IOException && made < 3, e)
                delay(50)
            }
        } catch (e: IOException) {
            shelf.value ?: throw e
        }
        value?.also { shelf.value = it } ?: shelf.value
    }
}

private val failureInCoroutines = Subject.suspending { _, fetch ->
    val shelf = Shelf()
    suspend {
        fetching({ fetch() }) { made, e ->
            rethrowUnless(e is IOException, e)
            shelf.failure = e
            delay(50)
            if (made == 3) throw shelf.failure!!
        }
    }
}

private val failureOnThreads = Subject.blocking { time, fetch ->
    val shelf = Shelf()
    Callable {
        fetching(fetch) { made, e ->
            rethrowUnless(e is IOException, e)
            shelf.failure = e
            time.await(WAIT)
            if (made == 3) throw shelf.failure!!
        }
    }
}

private val waitInCoroutines = Subject.suspending { _, fetch ->
    var wait = 0L
    suspend {
        wait = 50
        fetching({ fetch() }) { made, e ->
            rethrowUnless(e is IOException && made < 3, e)
            delay(wait)
            wait *= 2
        }
    }
}

private val waitOnThreads = Subject.blocking { time, fetch ->
    var wait = 0
    Callable {
        wait = 50
        fetching(fetch) { made, e ->
            rethrowUnless(e is IOException && made < 4, e)
            time.await(wait.milliseconds)
            wait *= 2
        }
    }
}

internal val countInCoroutines = Subject.suspending { _, fetch ->
    val shelf = Shelf()
    suspend {
        shelf.count = 3
        fetching({ fetch() }) { _, e ->
            rethrowUnless(e is IOException && --shelf.count > 0, e)
            delay(50)
        }
    }
}

internal val swallowsCancellation = Subject.suspending { _, fetch ->
    suspend {
        fetching({ fetch() }) { made, e ->
            rethrowUnless(e is Exception && made < 3, e)
            runCatching { delay(50) }
        }
    }
}

private val swallowsAllInCoroutine = Subject.suspending { _, fetch -> suspend { fetching({ fetch() }) { _, _ -> } } }

private val swallowsAllInFutures = Subject.async { time, fetch ->
    fun attempt(): CompletableFuture<String> = try {
        fetch().handle { value, failure ->
            if (failure == null) CompletableFuture.completedFuture(value) else later(time, WAIT) { attempt() }
        }.thenCompose { it }
    } catch (_: Throwable) {
        later(time, WAIT) { attempt() }
    }
    Supplier { attempt() }
}

private fun growing(): Subject {
    var wait = 50
    return blocking { made, e, time ->
        rethrowUnless(e is IOException && made < 3, e)
        time.await(wait.milliseconds)
        wait *= 2
    }
}

// The probe measures real time too.
private fun growingInRealTime(): Subject {
    var wait = 25L
    return blocking { made, e, _ ->
        rethrowUnless(e is IOException && made < 3, e)
        Thread.sleep(wait)
        wait += 25
    }
}

private val sleepsAndSwallows = blocking { made, e, _ ->
    rethrowUnless(made < 3, e)
    try {
        Thread.sleep(20)
    } catch (_: InterruptedException) {
        // On with it.
    }
}

internal val loses = Subject.blocking { time, fetch ->
    Callable {
        fetching({ fetch() }) { made, e ->
            rethrowUnless(e is IOException, e)
            time.await(WAIT)
            if (made == 3) return@Callable null
        }
    }
}

private fun sound(mayRepeat: (Throwable) -> Boolean) = blocking { made, e, time ->
    rethrowUnless(mayRepeat(e) && made < 3, e)
    time.await(WAIT)
}

private val RESET = { IOException("reset") }

/** Defects of retry code, each as small as it can be. */
internal val DEFECTS = listOf(
    Defect("no retry", Kind.NO_RETRY, blocking { _, e, _ -> throw e }),
    Defect(
        "no cap",
        Kind.MISSING_CAP,
        blocking { _, e, time ->
            rethrowUnless(e is IOException, e)
            time.await(WAIT)
        },
    ),
    Defect("no cap, and it swallows everything", Kind.MISSING_CAP, blocking { _, _, _ -> }),
    Defect("no cap, and it swallows everything, in a coroutine", Kind.MISSING_CAP, swallowsAllInCoroutine),
    Defect("no cap, and it swallows everything, in futures", Kind.MISSING_CAP, swallowsAllInFutures),
    Defect("no delay", Kind.MISSING_DELAY, blocking { made, e, _ -> rethrowUnless(e is IOException && made < 3, e) }),
    Defect("a delay that is not reset", Kind.STATE_NOT_RESET, growing()),
    Defect("a delay that is not reset, in real time", Kind.STATE_NOT_RESET, growingInRealTime()),
    Defect(
        "a swallowed interrupt",
        Kind.REPEATED_AFTER_CANCELLATION,
        blocking { made, e, time ->
            rethrowUnless(made < 3, e)
            time.await(WAIT)
        },
    ),
    Defect("a swallowed interrupt of a sleep", Kind.REPEATED_AFTER_CANCELLATION, sleepsAndSwallows),
    Defect("a swallowed cancellation", Kind.REPEATED_AFTER_CANCELLATION, swallowsCancellation),
    Defect("a chain that goes on after its future was cancelled", Kind.REPEATED_AFTER_CANCELLATION, chain { false }),
    Defect(
        "a failure retried in vain",
        Kind.RETRIED_IN_VAIN,
        sound { it is Exception },
        FaultProbe(RESET).withFinal({ IllegalArgumentException("bad id") }),
    ),
    Defect("an unsafe repeat", Kind.UNSAFE_REPEAT, sound { it is IOException }, FaultProbe(RESET).ofUnsafeWork()),
    Defect("a lost failure", Kind.LOST_FAILURE, loses),
    Defect("a shared count of attempts", Kind.SHARED_STATE, countInCoroutines),
    Defect("a shared value, on threads", Kind.SHARED_STATE, valueOnThreads),
    Defect("a shared value, in coroutines", Kind.SHARED_STATE, valueInCoroutines),
    Defect("a shared value, in futures", Kind.SHARED_STATE, valueInFutures),
    Defect("a value of an earlier call, on threads", Kind.STATE_NOT_RESET, staleOnThreads(isReset = false)),
    Defect("a value of an earlier call, in coroutines", Kind.STATE_NOT_RESET, staleInCoroutines(isReset = false)),
    Defect("a value of another call in place of a failure, on threads", Kind.SHARED_STATE, staleOnThreads(true)),
    Defect("a value of another call in place of a failure, in coroutines", Kind.SHARED_STATE, staleInCoroutines(true)),
    Defect("a shared failure, in coroutines", Kind.SHARED_STATE, failureInCoroutines),
    Defect("a shared failure, on threads", Kind.SHARED_STATE, failureOnThreads),
    Defect("a shared wait, in coroutines", Kind.SHARED_STATE, waitInCoroutines),
    Defect("a shared wait, on threads", Kind.SHARED_STATE, waitOnThreads),
)

/** A chain of futures that ends when its future does. */
internal val SOUND_CHAIN = chain { it.isDone }
