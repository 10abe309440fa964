package dev.reprise.conformance.faults

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Jitter
import dev.reprise.core.NanoClock
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.grpc.StatusRuntimeException
import java.time.Duration
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/** Everything around one call of [plan]: all of it foreign code, which [saboteur] may break. */
class World(val plan: Plan) {
    val saboteur = plan.saboteur()
    val time = VirtualTime((plan.sendTokens ?: 0) * TOKEN_NANOS + TOKEN_NANOS / 2)
    val recorder = Recorder()
    val results = Results()
    val ledger = Ledger(plan.quota, saboteur)
    val blocks = AtomicInteger()
    val timers = AtomicInteger()
    val main: Thread = Thread.currentThread()

    /** Whether work took an interrupt or a cancellation for itself. */
    @Volatile
    var hasSwallowed = false

    private var cancellation: Runnable? = null

    /** Whether other threads have a part in this call. */
    val usesThreads
        get() = plan.fault == Site.EXECUTOR || plan.fault == Site.OWN_EXECUTOR ||
            (plan.sendTokens != null && !plan.face.isVirtual)

    /** How many results the classifier was asked about. */
    val judged = AtomicInteger()

    val rate = plan.sendTokens?.let { SendRate(RATE, 0).apply { record(throttled = true, sentAt = 0, now = 0) } }
    val tokensAtStart = rate?.state?.tokensAt(time.nanoTime()) ?: 0.0
    val startedAt = time.nanoTime()

    private val policy = RetryPolicy {
        maxAttempts = plan.maxAttempts
        attemptTimeout = plan.attemptTimeout?.milliseconds
        deadline = plan.deadline?.milliseconds
        classifier = SabotagedClassifier()
        backoff = Backoff.custom(Jitter.FULL) { _ ->
            saboteur.use(Site.BACKOFF)
            plan.backoffMillis.milliseconds
        }
        quota =
            TokenBucketSettings.builder().capacity(
                Ledger.CAPACITY,
            ).cost(Ledger.COST).throttlingCost(Ledger.COST).timeoutCost(Ledger.COST).firstTryRefund(1).build()
        sendRate = RATE.takeIf { rate != null }
        onNoPermit = plan.noPermit
        hedge = plan.hedgeMillis?.let { Hedge.after(it.milliseconds, maxExtraLoad = 1.0) }
        onBadResult = plan.onBadResult
        trace = plan.trace
    }

    val options = CallOptions("work").with { longPolling = plan.isLongPoll }

    val retrier = Retrier.builder(policy).quota(
        ledger,
    ).sendRate(rate).listeners(if (plan.isWatched) listOf(SabotagedListener(), recorder) else emptyList()).clock(
        NanoClock {
            saboteur.use(Site.CLOCK)
            time.nanoTime()
        },
    ).draws {
        saboteur.use(Site.DRAWS)
        1.0
    }.waiter(
        Waiter {
            saboteur.use(Site.WAITER)
            time.suspendFor(it)
        },
    ).build()

    val executor = Executor {
        saboteur.use(Site.EXECUTOR)
        time.executor.execute(it)
    }

    val java: JavaRetrier = JavaRetrier.sharing(retrier, SabotagedWaiter(), executor)

    init {
        saboteur.swap = { retrier.update(RetryPolicy { maxAttempts = 1 }) }
    }

    /** What the attempt that begins now comes to. */
    fun begins(attempt: Int): Step {
        blocks.incrementAndGet()
        saboteur.use(Site.BLOCK)
        return plan.step(attempt)
    }

    fun give(step: Step): Result = if (step.throws) throw ScriptedFailure(step.verdict) else results.make(step.verdict)

    /** The call is over: a cancellation would come too late. */
    fun ended() {
        cancellation?.run()
    }

    /** The caller may cancel at a moment as well as at a use. */
    fun cancelsInTime() {
        if (plan.cancelNanos > 0) cancellation = time.after(plan.cancelNanos.nanoseconds) { saboteur.cancelNow() }
    }

    private inner class SabotagedClassifier : Classifier {
        override val resultScope: ResultScope get() = ResultScope.ANY

        override fun classifyFailure(failure: Throwable): Verdict {
            saboteur.use(Site.CLASSIFIER)
            return scriptedIn(failure)?.verdict
                ?: if (failure is AttemptTimeoutException) Verdict.TIMEOUT else Verdict.Reject
        }

        private fun scriptedIn(failure: Throwable): ScriptedFailure? =
            (if (failure is StatusRuntimeException) failure.cause else failure) as? ScriptedFailure

        override fun classifyResult(result: Any?): Verdict {
            judged.incrementAndGet()
            saboteur.use(Site.CLASSIFIER)
            return (result as? Result)?.verdict ?: (result as? HttpOutcome)?.let { VERDICTS[it.status] }
                ?: Verdict.Accept
        }
    }

    private inner class SabotagedListener : RetryListener {
        override fun onEvent(event: RetryEvent) = saboteur.use(Site.LISTENER)
    }

    private inner class SabotagedWaiter : JavaWaiter {
        override fun await(duration: Duration) {
            saboteur.use(Site.WAITER)
            time.await(duration)
        }

        override fun after(duration: Duration, task: Runnable): Runnable {
            saboteur.use(Site.TIMER)
            val isThere = AtomicInteger(1)
            val over = { timers.addAndGet(-isThere.getAndSet(0)) }
            timers.incrementAndGet()
            val timer = time.after(duration) {
                over()
                saboteur.onTimer(task)
            }
            return Runnable {
                saboteur.use(Site.TIMER_CANCEL)
                timer.run()
                over()
            }
        }
    }

    companion object {
        const val TOKEN_NANOS = 1_000_000_000_000L

        /** One send permit in 1,000 s, whatever is answered: so that permits can be counted. */
        val RATE = SendRateSettings.builder().scale(1e-30).minFillRate(1e-3).minCapacity(64.0).build()

        /** Statuses for verdicts, on the faces that speak HTTP. */
        val STATUSES = mapOf<Verdict, Int>(
            Verdict.Accept to 200,
            Verdict.Reject to 404,
            Verdict.TRANSIENT to 503,
            Verdict.THROTTLING to 429,
            Verdict.TIMEOUT to 504,
        )
        val VERDICTS = STATUSES.entries.associate { it.value to it.key }
    }
}
