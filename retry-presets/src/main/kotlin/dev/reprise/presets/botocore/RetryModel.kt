package dev.reprise.presets.botocore

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.document.JsonText
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.merge
import dev.reprise.presets.sdk.ServiceName
import kotlinx.serialization.json.JsonObject

/**
 * The retry rules of many services in one file: a `_retry.json` of botocore, for its legacy mode.
 *
 * ```json
 * {"definitions": {"throttling": {"applies_when": {"response": {"service_error_code": "Throttling", "http_status_code": 400}}}},
 *  "retry": {
 *    "__default__": {"max_attempts": 5, "delay": {"type": "exponential", "base": "rand", "growth_factor": 2},
 *                    "policies": {"throttling": {"$ref": "throttling"}}},
 *    "dynamodb": {"__default__": {"max_attempts": 10, "delay": {"base": 0.05}},
 *                 "PutItem": {"policies": {}}}}}
 * ```
 *
 * A service's rules are merged over the defaults, member by member; its policies add to theirs, and those of an operation
 * to both. Unlike botocore, which applies no operation's policies in practice, [resolve] does; and resolving one service
 * never changes another, which it does there for `organizations`. Immutable and thread-safe.
 */
public class RetryModel private constructor(private val definitions: JsonObject, private val retry: JsonObject) {
    /** The services that have rules of their own, by their endpoint prefixes. */
    public val services: Set<String> = retry.keys - DEFAULT

    init {
        val references = References(definitions)
        for (service in services + DEFAULT) {
            val config = merged(service, references)
            for (operation in setOf(DEFAULT) + config.json.keys) {
                references.visit(config.json[DEFAULT])
                policy(config, operation)
            }
        }
    }

    /**
     * The policy for [operation] of [service], by its endpoint prefix, however written. The defaults if either is `null` or not
     * in the file.
     */
    @JvmOverloads
    public fun resolve(service: String? = null, operation: String? = null): RetryPolicy =
        policy(merged(service?.let { ServiceName.match(it, services) } ?: DEFAULT, References(definitions)), operation)

    private fun policy(config: Members, operation: String?): RetryPolicy {
        val own = operation?.takeIf { it != DEFAULT }?.let { config[it] }
        return ModelPolicies.policy(config.required(DEFAULT).members(), own?.members())
    }

    private fun merged(service: String, references: References): Members {
        val all = Members("$.retry", retry)
        val base = Node("$.retry", JsonObject(retry[DEFAULT]?.let { mapOf(DEFAULT to it) }.orEmpty()))
        val own = if (service in services) all.required(service) else return resolved(base, references)
        return Members(own.path, merge(resolved(base, references).json, resolved(own, references).json))
    }

    private fun resolved(node: Node, references: References): Members =
        Node(node.path, references.resolve(node)).members()

    public companion object {
        private const val DEFAULT = "__default__"

        /**
         * The model that [text] holds; it is checked whole.
         *
         * @throws PolicyFormatException if it is not JSON or not of the schema
         */
        @JvmStatic
        public fun read(text: String): RetryModel = JsonText.parse(text).read { members ->
            val definitions = members["definitions"]?.members()?.json ?: JsonObject(emptyMap())
            val retry = members.required("retry").members()
            for (name in retry.json.keys) retry.required(name).members()
            RetryModel(definitions, retry.json)
        }

        /** The rules that botocore ships (snapshot of August 2026), from the table in this library's own resources. */
        @JvmStatic
        public val builtIn: RetryModel by lazy(LazyThreadSafetyMode.PUBLICATION) {
            val stream = checkNotNull(RetryModel::class.java.getResourceAsStream("retry.json")) { "no retry.json" }
            read(stream.use { it.readBytes().decodeToString() })
        }
    }
}
