package dev.reprise.presets.json

import dev.reprise.core.QuotaCharge
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.values.word
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.TypeMember
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject

/**
 * `quota` in policy documents. Without a `type` it is the SDKs' token bucket. Absent members have the defaults of the
 * type; an absent `timeoutCost` is `cost`.
 */
internal object QuotaJson {
    private const val BUCKET = "bucket"
    private const val STEADY = "steady"
    private const val RATIO = "ratio"
    private val charges = QuotaCharge.entries.associateBy { it.word }
    private val readers: Map<String, (Members) -> QuotaSettings> =
        mapOf(BUCKET to ::readBucket, STEADY to ::readSteady, RATIO to ::readRatio)

    val type = TypeMember("type", readers, default = BUCKET)

    fun read(node: Node): QuotaSettings = node.read { type.read(it)(it) }

    private fun readBucket(members: Members) = TokenBucketSettings {
        members["capacity"]?.let { capacity(it.int()) }
        members["cost"]?.let { cost(it.int()) }
        members["throttlingCost"]?.let { throttlingCost(it.int()) }
        members["timeoutCost"]?.let { timeoutCost(it.int()) }
        members["firstTryRefund"]?.let { firstTryRefund(it.int()) }
        members["charge"]?.let { charge(it.word(charges)) }
    }

    private fun readSteady(members: Members) = SteadyQuotaSettings {
        members["capacity"]?.let { capacity(it.int()) }
        members["leastCapacity"]?.let { leastCapacity(it.int()) }
        members["seconds"]?.let { seconds(it.double()) }
        members["cost"]?.let { cost(it.int()) }
        members["throttlingCost"]?.let { throttlingCost(it.int()) }
        members["timeoutCost"]?.let { timeoutCost(it.int()) }
        members["firstTryRefund"]?.let { firstTryRefund(it.int()) }
        members["reserveRefund"]?.let { reserveRefund(it.int()) }
        members["operationShare"]?.let { operationShare(it.double()) }
        members["operations"]?.let { operations(it.int()) }
    }

    private fun readRatio(members: Members) = RatioQuotaSettings {
        members["percent"]?.let { percent(it.int()) }
        members["perSecond"]?.let { perSecond(it.int()) }
        members["windowSeconds"]?.let { windowSeconds(it.int()) }
    }

    fun write(quota: QuotaSettings): JsonObject = when (quota) {
        is TokenBucketSettings -> write(quota)
        is SteadyQuotaSettings -> write(quota)
        is RatioQuotaSettings -> write(quota)
    }

    private fun write(quota: TokenBucketSettings) = jsonObject {
        number("capacity", quota.capacity)
        number("cost", quota.cost)
        number("throttlingCost", quota.throttlingCost)
        if (quota.timeoutCost != quota.cost) number("timeoutCost", quota.timeoutCost)
        number("firstTryRefund", quota.firstTryRefund)
        if (quota.charge != QuotaCharge.RETRIES) text("charge", quota.charge.word)
    }

    private fun write(quota: SteadyQuotaSettings) = jsonObject(STEADY) {
        number("capacity", quota.capacity)
        number("leastCapacity", quota.leastCapacity)
        number("seconds", quota.seconds)
        number("cost", quota.cost)
        number("throttlingCost", quota.throttlingCost)
        if (quota.timeoutCost != quota.cost) number("timeoutCost", quota.timeoutCost)
        number("firstTryRefund", quota.firstTryRefund)
        number("reserveRefund", quota.reserveRefund)
        number("operationShare", quota.operationShare)
        number("operations", quota.operations)
    }

    private fun write(quota: RatioQuotaSettings) = jsonObject(RATIO) {
        number("percent", quota.percent)
        number("perSecond", quota.perSecond)
        number("windowSeconds", quota.windowSeconds)
    }
}
