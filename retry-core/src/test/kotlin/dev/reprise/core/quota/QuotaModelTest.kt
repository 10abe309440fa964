package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind
import io.kotest.core.spec.style.FunSpec
import org.jetbrains.lincheck.datastructures.IntGen
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions
import org.jetbrains.lincheck.datastructures.Operation
import org.jetbrains.lincheck.datastructures.Param
import org.jetbrains.lincheck.datastructures.Validate
import kotlin.reflect.KClass
import kotlin.time.Duration.Companion.hours

/** Every interleaving of a few operations, tried one by one: the quotas and shares are linearizable. */
class QuotaModelTest :
    FunSpec({
        fun models(name: String, model: KClass<*>) = test("$name behaves as if its operations came one after the other")
            .config(enabled = isSupported, timeout = LONGEST, invocationTimeout = LONGEST) {
                options().check(model.java)
            }

        models("the token bucket", BucketModel::class)
        models("the steady quota", SteadyModel::class)
        models("the ratio quota", RatioModel::class)
        models("the map of shares", SharesModel::class)
        models("the values of keys", KeyedModel::class)
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

class BucketModel {
    private val quota = RetryQuota(40, available = 20)

    @Operation
    fun take() = quota.tryTake(14, FailureKind.TRANSIENT, null)

    @Operation
    fun giveBack() = quota.giveBack(14, null)

    @Operation
    fun succeed() = quota.succeeded(1, null)

    @Operation
    fun available() = quota.available
}

class SteadyModel {
    private val quota = SteadyQuotaSettings { operationShare = 0.5 }.open { 0 }.apply {
        tryTake(14, FailureKind.TRANSIENT, null)
    }

    @Operation
    fun take() = quota.tryTake(14, FailureKind.TRANSIENT, null)

    @Operation
    fun giveBack() = quota.giveBack(14, null)

    @Operation
    fun succeed() = quota.succeeded(2, null)

    @Operation
    fun available() = quota.available
}

class RatioModel {
    private val quota = RatioQuotaSettings {
        percent = 50
        perSecond = 0
    }.open { 0 }.apply { repeat(4) { succeeded(50, null) } }

    @Operation
    fun take() = quota.tryTake(100, FailureKind.TRANSIENT, null)

    @Operation
    fun giveBack() = quota.giveBack(100, null)

    @Operation
    fun succeed() = quota.succeeded(50, null)
}

class SharesModel {
    private val shares = Shares(2)

    @Operation
    fun spend() = shares.trySpend("a", 14, 28)

    @Operation
    fun giveBack() = shares.giveBack("a", 14)

    @Operation
    fun spent() = shares.spent("a")
}

@Param(name = "key", gen = IntGen::class, conf = "1:3")
class KeyedModel {
    private val keyed = Keyed<Int, String>(2) { key -> "value $key" }

    @Operation
    fun get(@Param(name = "key") key: Int) = keyed[key]

    /** One key too many may be there for a moment, while the thread that brought it evicts another one. */
    @Validate
    fun isWithinCapacity() = check(keyed.size <= keyed.capacity) { "$keyed" }
}
