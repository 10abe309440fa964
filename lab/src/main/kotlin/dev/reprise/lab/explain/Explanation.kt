package dev.reprise.lab.explain

import dev.reprise.core.FailureKind
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.MachineInput
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.values.ceilingNanos
import dev.reprise.core.shell.values.costOf
import java.util.SplittableRandom

/**
 * The effect of [policy] on calls that fail again and again with failures of [kind], from the real machine. Times in
 * ns.
 */
internal class Explanation(val policy: RetryPolicy, val kind: FailureKind, samples: Int, seed: Long) {
    /** One retry: the ceiling of its backoff, and the delays from [samples] draws. */
    class Row(
        val attempt: Int,
        val ceiling: Long,
        val smallest: Long,
        val mean: Double,
        val p99: Long,
        val largest: Long,
        val meanSum: Double,
        val worstSum: Long,
    )

    /** How many attempts are explained: all, or the first few of a policy without limit. */
    val attempts: Int = minOf(policy.maxAttempts, MOST_ROWS + 1)

    val rows: List<Row>

    init {
        require(samples in 1..MOST_SAMPLES) { "samples must be from 1 to $MOST_SAMPLES: $samples" }
        val random = SplittableRandom(seed)
        val free = policy.with {
            quota = null
            deadline = null
        }
        val machine = RetryMachine(free, null)
        val failed = MachineInput.Judged(Verdict.Retry(kind))
        val delays = List(attempts - 1) { LongArray(samples) }
        var made = attempts - 1
        repeat(samples) { sample ->
            var state = RetryState.first()
            for (retry in 0 until made) {
                when (val decision = machine.next(state, failed, 0, { random.nextDouble() })) {
                    is RetryState -> {
                        delays[retry][sample] = decision.delayNanos
                        state = decision
                    }

                    is Decision.GiveUp, Decision.Accept -> made = minOf(made, retry)
                }
            }
        }
        var meanSum = 0.0
        var worstSum = 0L
        rows = delays.take(made).mapIndexed { i, drawn ->
            drawn.sort()
            val ceiling = policy.backoff.ceilingNanos(i, kind)
            meanSum += drawn.average()
            worstSum = if (worstSum + ceiling < worstSum) Long.MAX_VALUE else worstSum + ceiling
            Row(
                attempt = i + 2,
                ceiling = ceiling,
                smallest = drawn.first(),
                mean = drawn.average(),
                p99 = drawn[((samples - 1) * P99).toInt()],
                largest = drawn.last(),
                meanSum = meanSum,
                worstSum = worstSum,
            )
        }
    }

    /** The mean wait of a call that uses all its attempts. */
    val meanSum: Double get() = rows.lastOrNull()?.meanSum ?: 0.0

    /** The longest wait of such a call. */
    val worstSum: Long get() = rows.lastOrNull()?.worstSum ?: 0

    /** Tokens that a call costs that uses all its attempts; 0 where retries are free. */
    val costOfAll: Int get() = (policy.quota?.costOf(kind) ?: 0) * (attempts - 1)

    /**
     * The share of failing attempts from which on the quota shrinks from call to call, or `null` if it never does.
     * There `(1 - p) * refund - cost * (p^2 + ... + p^n)` crosses zero, the spec's steady state. A steady quota shrinks with
     * its reserve; a ratio has no such share.
     */
    val drainsFrom: Double? = policy.quota?.let { quota ->
        if (quota is RatioQuotaSettings) return@let null
        val cost = quota.costOf(kind)
        val refund = (quota as? SteadyQuotaSettings)?.reserveRefund ?: quota.firstTryRefund

        fun change(p: Double): Double {
            var spent = 0.0
            var power = p
            repeat(attempts - 1) {
                power *= p
                spent += cost * power
            }
            return (1 - p) * refund - spent
        }
        if (attempts == 1 || cost == 0) return@let null
        var low = 0.0
        var high = 1.0
        repeat(HALVINGS) {
            val middle = (low + high) / 2
            if (change(middle) > 0) low = middle else high = middle
        }
        low
    }

    private companion object {
        const val MOST_ROWS = 20
        const val MOST_SAMPLES = 1_000_000
        const val P99 = 0.99
        const val HALVINGS = 50
    }
}
