package dev.reprise.spring.boot

import dev.reprise.coroutines.Retrier
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.spring.RetryRegistry
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.booleanOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.longOrNull
import org.springframework.boot.actuate.endpoint.annotation.Endpoint
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation
import org.springframework.boot.actuate.endpoint.annotation.Selector

/** Shows all retriers at `/actuator/reprise`: policies, quotas, send rates and the last calls that were given up. Read-only. */
@Endpoint(id = "reprise")
public class RetriesEndpoint internal constructor(private val registry: RetryRegistry, private val giveUps: GiveUps) {
    /** All retriers, by name. */
    @ReadOperation
    public fun retries(): Map<String, Any> = mapOf("retries" to registry.names.associateWith(::shown))

    /** The retrier called [name]; `null` if there is none. */
    @ReadOperation
    public fun retry(@Selector name: String): Map<String, Any?>? = if (name in registry.names) shown(name) else null

    private fun shown(name: String): Map<String, Any?> = mapOf("policy" to policyOf(name)) +
        state(registry.retrier(name)) +
        mapOf(
            "hosts" to registry.hosts(name).mapValues { (_, retrier) -> state(retrier.retrier()) },
            "lastGiveUps" to giveUps.of(name),
            "lastHttpGiveUps" to giveUps.of(clientsOf(name)),
        )

    /** The document; of a policy that has functions of the user's own, a description. */
    private fun policyOf(name: String): Any {
        val policy = registry.policy(name)
        return try {
            plain(PolicyJson.toElement(policy))!!
        } catch (_: PolicyFormatException) {
            policy.toString()
        }
    }

    private fun state(retrier: Retrier): Map<String, Any?> = buildMap {
        retrier.quota?.let { put("quota", mapOf("available" to it.available, "capacity" to it.capacity)) }
        retrier.sendRate?.let {
            put("sendRate", mapOf("on" to it.isOn, "limit" to it.sendRate, "measured" to it.measuredRate))
        }
    }
}

/** [element] as maps, lists and values, which any JSON library can write. */
private fun plain(element: JsonElement): Any? = when (element) {
    is JsonObject -> element.mapValues { plain(it.value) }
    is JsonArray -> element.map(::plain)
    is JsonPrimitive if element.isString -> element.content
    is JsonPrimitive -> element.booleanOrNull ?: element.longOrNull ?: element.doubleOrNull
}
