package dev.reprise.core.shell.quota

import dev.reprise.build.ModelSpec
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetrierCache
import dev.reprise.core.SteadyQuotaSettings
import org.jetbrains.lincheck.datastructures.IntGen
import org.jetbrains.lincheck.datastructures.Operation
import org.jetbrains.lincheck.datastructures.Param
import org.jetbrains.lincheck.datastructures.Validate

/** Every interleaving of a few operations, tried one by one: the quotas and shares are linearizable. */
class QuotaModelTest :
    ModelSpec(
        "the token bucket" to BucketModel::class,
        "the steady quota" to SteadyModel::class,
        "the ratio quota" to RatioModel::class,
        "the map of shares" to SharesModel::class,
        "the values of keys" to KeyedModel::class,
    )

class BucketModel {
    private val quota = RetryQuota(40, available = 20)

    @Operation
    fun take() = quota.tryTake(14, null)

    @Operation
    fun giveBack() = quota.giveBack(14, null)

    @Operation
    fun succeed() = quota.succeeded(1, null)

    @Operation
    fun available() = quota.available
}

class SteadyModel {
    private val quota = SteadyQuotaSettings { operationShare = 0.5 }.newQuota({ 0 }).apply { tryTake(14, null) }

    @Operation
    fun take() = quota.tryTake(14, null)

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
    }.newQuota({ 0 }).apply { repeat(4) { succeeded(50, null) } }

    @Operation
    fun take() = quota.tryTake(100, null)

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
    private val keyed = RetrierCache<Int, String>(2) { key -> "value $key" }

    @Operation
    fun get(@Param(name = "key") key: Int) = keyed[key]

    /** One key too many may be there for a moment, while the thread that brought it evicts another one. */
    @Validate
    fun isWithinCapacity() = check(keyed.size <= keyed.capacity) { "$keyed" }
}
