package dev.reprise.samples.matrix

import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.Polling
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.CallDeadline
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.asNanoClock
import dev.reprise.coroutines.pollOutcome
import dev.reprise.coroutines.pollUntil
import dev.reprise.coroutines.retry
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.coroutines.withDeadline
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Every form of a call in a coroutine. As [KotlinMatrix]. */
@Suppress("unused")
internal object KotlinMatrixCoroutines {
    private val polling = Polling.every(1.seconds, deadline = 1.minutes)
    private val get = CallOptions("users.get")

    private suspend fun user(number: Int = 1): String = "user $number"

    suspend fun lone(): List<String> = listOf(
        retry { user() },
        retry(RetryPolicy.STANDARD) { user(it.number) },
        retry(RetryPolicy.STANDARD, get) { user() },
        pollUntil(polling, { it == "done" }) { user() },
    )

    suspend fun calls(retrier: Retrier): List<Any?> = listOf(
        retrier { user() },
        retrier(get) { user(it.number) },
        retrier.outcome { user() },
        retrier.outcome(get) { user() },
        retrier.pollUntil(polling, { it == "done" }) { user() },
        retrier.pollUntil(polling, get, { it == "done" }) { user() },
        retrier.pollOutcome(polling, { it == "done" }) { user() },
        retrier.pollOutcome(polling, get, { it == "done" }) { user() },
    )

    fun flows(retrier: Retrier, users: Flow<String>): List<Flow<String>> = listOf(
        users.retry(retrier),
        users.retry(retrier, get),
        users.retry(retrier, get, startOverAfter = 1.minutes),
    )

    suspend fun deadlines(): List<Any?> {
        val left = withDeadline(1.seconds) { currentCoroutineContext()[CallDeadline]?.timeLeft }
        val at =
            withDeadline(TimeSource.Monotonic.markNow() + 1.seconds) { currentCoroutineContext()[CallDeadline]?.at }
        return listOf(left, at)
    }

    fun retriers(listener: RetryListener): List<Any?> {
        val retrier = Retrier(RetryPolicy.STANDARD) { waiter = NoTime() }
        retrier.update(RetryPolicy.NONE)
        val clock: NanoClock = TimeSource.Monotonic.asNanoClock()
        return listOf(
            Retrier { this.clock = clock },
            Retrier.builder(RetryPolicy.NONE).name("users").build().name,
            Retrier { name = name ?: "users" },
            retrier.with(RetryPolicy.NONE),
            retrier.with(listener),
            retrier.with(DeadlineSource { null }),
            retrier.quota,
            retrier.sendRate,
            retrier.policy,
            clock.nanoTime(),
        )
    }

    /** Time of a simulation. */
    private class NoTime : Waiter {
        override suspend fun await(duration: Duration) = Unit
    }
}
