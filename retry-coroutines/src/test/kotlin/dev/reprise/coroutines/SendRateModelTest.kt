package dev.reprise.coroutines

import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.SendRate
import dev.reprise.core.rate.SendRateSettings
import dev.reprise.core.time.UNLIMITED_NANOS
import io.kotest.core.spec.style.FunSpec
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions
import org.jetbrains.lincheck.datastructures.Operation
import kotlin.reflect.KClass
import kotlin.time.Duration.Companion.hours

/** Every interleaving of a few operations, tried one by one: the holder and the line are linearizable. */
class SendRateModelTest :
    FunSpec({
        fun models(name: String, model: KClass<*>) = test("$name behaves as if its operations came one after the other")
            .config(enabled = isSupported, timeout = LONGEST, invocationTimeout = LONGEST) {
                options().check(model.java)
            }

        models("the holder", HolderModel::class)
        models("the line", LineModel::class)
    })

/** A night's work, on a machine with other work to do. */
private val LONGEST = 6.hours

/** A taste in every build; `-Dnightly` looks at as much as Caffeine does. */
private fun options() = if (System.getProperty("nightly") == null) {
    ModelCheckingOptions().iterations(2).invocationsPerIteration(100).threads(2).actorsPerThread(3)
} else {
    ModelCheckingOptions().iterations(100).invocationsPerIteration(1_000).threads(3).actorsPerThread(3)
}

/** Lincheck rewrites byte code, and knows the JDKs up to 21. */
private val isSupported = Runtime.version().feature() <= 21

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
