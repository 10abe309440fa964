package dev.reprise.benchmarks

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import org.openjdk.jmh.annotations.Level
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.Setup
import org.openjdk.jmh.annotations.State

/** Standard mode with everything that it has, but no delay, three attempts, and no trace. */
val STANDARD: RetryPolicy =
    RetryPolicy {
        maxAttempts = ATTEMPTS
        backoff = Backoff.IMMEDIATE
        classifier = Classifier.onException(Failure::class.java) or classifier
        quota = TokenBucketSettings { capacity(ROOMY) }
        trace = false
    }

/** The default of the HTTP clients, but no delay, and three attempts. */
val HTTP_STANDARD: RetryPolicy =
    RetryPolicy.HTTP.with {
        maxAttempts = ATTEMPTS
        backoff = Backoff.IMMEDIATE
        quota = TokenBucketSettings { capacity(ROOMY) }
    }

/** A quota that lasts for one iteration of calls that all give up. */
private const val ROOMY = Int.MAX_VALUE

/** Permits a second. */
private const val FAST = 1e9

/** Our contestants: one retrier each, which all threads share. */
@State(Scope.Benchmark)
open class Ours {
    val standard = Retrier(STANDARD)
    val traced = Retrier(STANDARD.with { trace = true })
    val listened = standard.with(Counting())

    /** Adaptive mode that was never throttled. */
    val adaptive = Retrier(STANDARD.with { sendRate = SendRateSettings.EXACT })

    /** Adaptive mode that was throttled once, whose limiter lets more through than any benchmark sends. */
    val limited =
        Retrier(STANDARD.with { sendRate = SendRateSettings.builder().minFillRate(FAST).minCapacity(FAST).build() })
            .also { it.sendRate!!.record(throttled = true, sentAt = System.nanoTime(), now = System.nanoTime()) }

    val java: JavaRetrier = JavaRetrier.sharing(standard)
    val javaTraced: JavaRetrier = JavaRetrier.sharing(traced)
    val javaListened: JavaRetrier = JavaRetrier.sharing(listened)
    val javaAdaptive: JavaRetrier = JavaRetrier.sharing(adaptive)
    val javaLimited: JavaRetrier = JavaRetrier.sharing(limited)

    /** Gives back the tokens of calls that gave up. */
    @Setup(Level.Iteration)
    fun refill() {
        for (retrier in listOf(standard, traced, adaptive, limited)) retrier.quota?.giveBack(ROOMY, null)
    }
}

/** A listener that does next to nothing. */
class Counting : RetryListener {
    private var events = 0

    override fun onEvent(event: RetryEvent) {
        events++
    }
}
