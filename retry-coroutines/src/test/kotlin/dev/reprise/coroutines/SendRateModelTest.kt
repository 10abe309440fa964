package dev.reprise.coroutines

import dev.reprise.build.ModelSpec
import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import org.jetbrains.lincheck.datastructures.Operation

/** Every interleaving of a few operations, tried one by one: the holder and the line are linearizable. */
class SendRateModelTest : ModelSpec("the holder" to HolderModel::class, "the line" to LineModel::class)

private const val SECOND = 1_000_000_000L

/** On, with two permits in the bucket at the time of all operations. */
private fun rateWithTwoPermits() =
    SendRate(SendRateSettings.EXACT.toBuilder().minFillRate(1.0).minCapacity(2.0).build(), startedAt = 0).apply {
        record(throttled = true, sentAt = 0, now = 0)
    }

class HolderModel {
    private val rate = rateWithTwoPermits()

    @Operation
    fun take() = rate.tryTake(2 * SECOND)

    @Operation
    fun putBack() = rate.putBack()

    @Operation
    fun throttle() = rate.record(throttled = true, sentAt = 0, now = 2 * SECOND)

    @Operation
    fun sendRate() = rate.sendRate
}

class LineModel {
    private val rate = rateWithTwoPermits()
    private val line = SendRateLine.of(rate, { 2 * SECOND }, Waiter.DELAY)

    @Operation
    fun take() = line.tryAcquire()

    @Operation
    suspend fun acquireOrFail() = line.acquire(NoPermit.Fail, UNLIMITED_NANOS)

    @Operation
    fun answer() = rate.record(throttled = false, sentAt = 0, now = 2 * SECOND)
}
