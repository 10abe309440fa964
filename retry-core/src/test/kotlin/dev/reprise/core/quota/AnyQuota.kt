package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind
import dev.reprise.core.time.NanoClock
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import kotlin.random.Random

/** A clock that a test turns. */
internal class TestClock : NanoClock {
    var nanos = 0L

    override fun nanoTime(): Long = nanos

    fun pass(seconds: Double) {
        nanos += (seconds * 1e9).toLong()
    }
}

/** Quota settings of any type, small enough that a quota runs empty. */
internal val anyQuotaSettings: Arb<QuotaSettings> =
    arbitrary { source ->
        val random = source.random
        when (random.nextInt(3)) {
            0 -> TokenBucketSettings {
                capacity = random.nextInt(1, 600)
                cost = random.nextInt(0, 30)
                throttlingCost = random.nextInt(0, 30)
                timeoutCost = random.nextInt(0, 30)
                firstTryRefund = random.nextInt(0, 5)
                charge = QuotaCharge.entries.random(random)
            }

            1 -> anySteady(random)

            else -> RatioQuotaSettings {
                percent = random.nextInt(0, 1001)
                perSecond = random.nextInt(0, 3)
                windowSeconds = random.nextInt(1, 61)
            }
        }
    }

internal fun anySteady(random: Random) = SteadyQuotaSettings {
    capacity = random.nextInt(20, 600)
    leastCapacity = random.nextInt(1, 21)
    seconds = random.nextDouble(0.1, 20.0)
    firstTryRefund = random.nextInt(0, 4)
    reserveRefund = random.nextInt(0, firstTryRefund + 1)
    cost = random.nextInt(4, 30)
    throttlingCost = random.nextInt(4, 30)
    timeoutCost = random.nextInt(4, 30)
    operationShare = random.nextDouble(0.01, 1.0)
    operations = random.nextInt(0, 4)
}

/** One use of a quota. */
internal sealed interface Use {
    data class Take(val tokens: Int, val operation: String?) : Use

    data class GiveBack(val tokens: Int, val operation: String?) : Use

    data class Succeed(val tokens: Int, val operation: String?) : Use

    data class Wait(val seconds: Double) : Use
}

/** Any uses of any quota, with operations and without; [waits] says whether time passes. */
internal fun anyUses(waits: Boolean): Arb<List<Use>> = arbitrary { source ->
    val random = source.random
    List(random.nextInt(100)) {
        val operation = listOf(null, null, "a", "b", "c", "d", "e").random(random)
        when (random.nextInt(if (waits) 5 else 4)) {
            0, 1 -> Use.Take(random.nextInt(0, 60), operation)
            2 -> Use.GiveBack(random.nextInt(0, 60), operation)
            3 -> Use.Succeed(random.nextInt(0, 20), operation)
            else -> Use.Wait(random.nextDouble(8.0))
        }
    }
}

/** Makes [use] of this quota; the tokens that it gained or lost by its own word. */
internal fun Quota.make(use: Use, clock: TestClock): Int = when (use) {
    is Use.Take -> if (tryTake(use.tokens, FailureKind.TRANSIENT, use.operation)) -use.tokens else 0
    is Use.GiveBack -> giveBack(use.tokens, use.operation)
    is Use.Succeed -> succeeded(use.tokens, use.operation)
    is Use.Wait -> 0.also { clock.pass(use.seconds) }
}
