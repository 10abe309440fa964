package dev.reprise.presets

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.document.JsonText
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.Shape
import dev.reprise.presets.document.merge
import dev.reprise.presets.document.mustBeOneOf
import dev.reprise.presets.json.IdleRules
import dev.reprise.presets.json.PolicyMembers
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject

/**
 * Policy documents: a [RetryPolicy] as JSON. [read] reads back the output of [write] equal.
 *
 * ```json
 * {"preset": "standard-2.1", "service": "dynamodb", "maxAttempts": 5, "backoff": {"cap": "5s"}}
 * ```
 *
 * `preset` starts from one of the [Presets], and from its variant for `service` if it has one. The other members
 * override it. Objects are overridden member by member, except that a `backoff` or `quota` of another `type`, or a
 * `sendRate` of another `growth`, replaces the whole object; other values are replaced. Without a preset a document starts from [RetryPolicy.STANDARD], and its
 * objects are complete in themselves.
 *
 * Values as YAML and property files give them are read too: names such as `max-attempts`, numbers and booleans in
 * quotation marks. `retryOn` and `rejectOn` name exceptions beside the classifier of the preset.
 *
 * Durations are texts such as `50ms`, `1.5s`, `2m` or `PT1.5S`, and `unlimited` if a limit is optional; `"maxAttempts":
 * "unlimited"` is any number of attempts. All members are described in `docs/policy-json.md`.
 */
public object PolicyJson {
    /**
     * The policy that the document [text] describes. A class in `retryOn` or `rejectOn` that does not exist is logged as a warning.
     *
     * @throws PolicyFormatException if it is not JSON, longer than a million characters, nested deeper than 100, has unknown
     *   or repeated members or wrong types, or breaks a rule of the policy
     */
    @JvmStatic
    public fun read(text: String): RetryPolicy = read(JsonText.parse(text).camelCase())

    /**
     * The policy that the document [element] describes; [path] is its place in the whole document, for messages. Logs as the other
     * one does.
     *
     * @throws PolicyFormatException if it is nested deeper than 100, has unknown members or wrong types, or breaks a
     * rule of the policy
     */
    @JvmStatic
    @JvmOverloads
    public fun read(element: JsonElement, path: String = "$"): RetryPolicy {
        Shape.check(path, element)
        return read(Node(path, element).camelCase())
    }

    /**
     * One document for the policy of all [documents]: each overrides those after it, and all override the preset of the first one
     * that names one, as a document overrides its preset. [path] is their place, for messages.
     *
     * @throws PolicyFormatException if one is no object or nested deeper than 100, or if the preset is unknown
     */
    @JvmStatic
    @JvmOverloads
    public fun merged(documents: List<JsonElement>, path: String = "$"): JsonObject {
        val layers = documents.asReversed().map {
            Shape.check(path, it)
            Node(path, it).camelCase().members().json
        }
        val all = Node(path, JsonObject(layers.fold(emptyMap<String, JsonElement>()) { lower, upper -> lower + upper }))
        val base = presetOf(all)?.let(::toElement) ?: JsonObject(emptyMap())
        return layers.fold(base) { lower, upper -> merge(lower, upper, PolicyMembers.types) }
    }

    /**
     * The whole of [policy] as a document, without a preset.
     *
     * @throws PolicyFormatException if it has a function of the user's own in it
     */
    @JvmStatic
    public fun write(policy: RetryPolicy): String = JsonText.print(toElement(policy))

    /**
     * The whole of [policy] as a document, without a preset.
     *
     * @throws PolicyFormatException if it has a function of the user's own in it
     */
    @JvmStatic
    public fun toElement(policy: RetryPolicy): JsonObject = PolicyMembers.write(policy)

    private fun read(node: Node): RetryPolicy {
        val base = presetOf(node)
        val own = node.members()
        val members =
            if (base == null) own else Node(node.path, merge(toElement(base), own.json, PolicyMembers.types)).members()
        members.mayHave("preset", "service")
        return PolicyMembers.read(members, base?.toBuilder() ?: RetryPolicy.builder()).also { IdleRules.tell(own) }
    }

    /** The policy that the document [node] starts from; `null` if it names none. */
    private fun presetOf(node: Node): RetryPolicy? {
        val members = node.members()
        val preset = members["preset"]?.let { if (it.isNull) null else it.text() }
        val service = members["service"]?.let { if (it.isNull) null else it.text() }
        if (preset == null) {
            if (service != null) node.wrong("a \"service\" needs a \"preset\"")
            return null
        }
        val found = Presets.find(preset)
        if (found == null) members.required("preset").wrong(mustBeOneOf(preset, Presets.all.map { it.name }))
        return if (service == null) found.policy() else members.required("service").checked { found.policy(service) }
    }
}
