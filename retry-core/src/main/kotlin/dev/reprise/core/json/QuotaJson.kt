package dev.reprise.core.json

import dev.reprise.core.document.Node
import dev.reprise.core.document.jsonObject
import dev.reprise.core.quota.QuotaCharge
import dev.reprise.core.quota.QuotaSettings
import kotlinx.serialization.json.JsonObject

/** `quota` in policy documents; members that are absent are those of standard mode 2.1, `timeoutCost` is then `cost`. */
internal object QuotaJson {
    private val charges = QuotaCharge.entries.associateBy { it.word }
    private val standard = QuotaSettings.STANDARD

    fun read(node: Node): QuotaSettings {
        val members = node.members()
        return members.build {
            val cost = members["cost"]?.int() ?: standard.cost
            QuotaSettings(
                capacity = members["capacity"]?.int() ?: standard.capacity,
                cost = cost,
                throttlingCost = members["throttlingCost"]?.int() ?: standard.throttlingCost,
                timeoutCost = members["timeoutCost"]?.int() ?: cost,
                firstTryRefund = members["firstTryRefund"]?.int() ?: standard.firstTryRefund,
                charge = members["charge"]?.word(charges) ?: standard.charge,
            )
        }
    }

    fun write(quota: QuotaSettings): JsonObject = jsonObject {
        number("capacity", quota.capacity)
        number("cost", quota.cost)
        number("throttlingCost", quota.throttlingCost)
        if (quota.timeoutCost != quota.cost) number("timeoutCost", quota.timeoutCost)
        number("firstTryRefund", quota.firstTryRefund)
        if (quota.charge != standard.charge) text("charge", quota.charge.word)
    }
}
