package dev.reprise.spring.boot

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.springframework.boot.context.properties.bind.Bindable
import org.springframework.boot.context.properties.bind.Binder
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver
import org.springframework.boot.context.properties.source.ConfigurationPropertySources
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource
import org.springframework.core.env.Environment
import org.springframework.core.env.SystemEnvironmentPropertySource

/**
 * Reads policies from `reprise.policies.<name>.*`: each is a [policy document][PolicyJson], whose members are written as
 * properties are, such as `max-attempts` and `backoff.cap`, and `REPRISE_POLICIES_ORDERS_MAXATTEMPTS` in the environment.
 */
internal object PolicyProperties {
    /** The prefix of all policies. */
    const val PREFIX: String = "reprise.policies"

    private val DOCUMENTS = Bindable.mapOf(String::class.java, Any::class.java)

    /**
     * The policies of [environment], by name. The property source of the highest precedence that has a member decides on it: a list
     * is replaced whole, and the members of an object are merged. Names that differ only in dashes and capitals mean one policy, as
     * in all of Boot's properties. An environment variable makes a policy of its own only if no other source has its name.
     *
     * @throws PolicyPropertyException if one is not a policy, or if one source spells a name in two ways
     */
    fun read(environment: Environment): Map<String, RetryPolicy> {
        val sources = documents(environment)
        val (variables, others) = sources.partition { it.isVariables }
        others.forEach(::checkNames)
        val spelled = others.flatMap { it.policies.keys }.toSet()
        val own = variables.flatMap { it.policies.keys }.filter { name -> spelled.none { isSameName(it, name) } }
        return (spelled + own).associateWith { name ->
            val documents = sources.flatMap { source -> source.policies.filterKeys { isSameName(it, name) }.values }
            policyOf(propertyOf(name), documents)
        }
    }

    /** The documents of one property source by name. */
    private class Source(val policies: Map<String, JsonElement>, val isVariables: Boolean)

    /** Boot gives the members of two such names to both. */
    private fun checkNames(source: Source) {
        val names = source.policies.keys.toList()
        names.forEachIndexed { i, name ->
            val same = names.take(i).find { isSameName(it, name) } ?: return@forEachIndexed
            val rule = "must differ from $same in more than dashes and capitals"
            throw PolicyPropertyException(propertyOf(name), rule, "", null)
        }
    }

    /**
     * The documents of each property source, the highest precedence first. Each source is bound alone: bound together, their
     * lists are mixed. One that cannot list its names stands over those below it.
     */
    private fun documents(environment: Environment): List<Source> {
        val placeholders = PropertySourcesPlaceholdersResolver(environment)
        val (listed, unlisted) = ConfigurationPropertySources.get(environment).withIndex()
            .partition { it.value is IterableConfigurationPropertySource }
        return listed.map { source ->
            val above = unlisted.filter { it.index < source.index }
            val raw = Binder((above + source).map { it.value }, placeholders).bind(PREFIX, DOCUMENTS)
            val policies = raw.orElseGet(::emptyMap).orEmpty().mapValues { element(it.value) }
            Source(policies, source.value.underlyingSource is SystemEnvironmentPropertySource)
        }
    }

    /** Whether two names mean one policy: the environment knows neither dashes nor capitals. */
    private fun isSameName(one: String, other: String) =
        one == other || (one.isPlain() && other.isPlain() && canonical(one) == canonical(other))

    private fun String.isPlain() = all { it.isLetterOrDigit() || it == '-' || it == '_' }

    private fun policyOf(path: String, documents: List<JsonElement>): RetryPolicy = try {
        // An empty entry of a lower source, which binds to a text, has nothing to override.
        val document = PolicyJson.merged(documents.filterIndexed { i, it -> i == 0 || it is JsonObject }, path)
        PolicyJson.read(withoutEmptyRules(document), path)
    } catch (e: PolicyFormatException) {
        throw PolicyPropertyException(path + kebab(e.path.removePrefix(path)), spelled(e.rule), e.value, e)
    }

    /** An empty list takes the rules of a lower source away. A document must name a class in each. */
    private fun withoutEmptyRules(document: JsonObject) =
        JsonObject(document.filterNot { (name, value) -> name in RULES && (value as? JsonArray)?.isEmpty() == true })

    /** The property of the policy called [name]. Brackets keep a dot in it from being one of the property. */
    private fun propertyOf(name: String) = if (name.isPlain()) "$PREFIX.$name" else "$PREFIX.[$name]"

    private fun element(value: Any?): JsonElement = when (value) {
        null -> JsonNull
        is Map<*, *> -> if (isList(value)) array(inOrder(value)) else members(value)
        is Iterable<*> -> array(value)
        is Boolean -> JsonPrimitive(value)
        is Number -> JsonPrimitive(value)
        else -> JsonPrimitive(value.toString())
    }

    private fun array(values: Iterable<Any?>) = JsonArray(values.map(::element))

    private fun members(value: Map<*, *>): JsonObject {
        val members = LinkedHashMap<String, JsonElement>()
        for ((key, member) in value) {
            // The member that is meant, however it is written; one that is not known is left to the reader.
            val name = MEMBERS[canonical("$key")] ?: "$key"
            // Properties write an empty list as an empty text.
            members[name] = if (member == "" && name in LISTS) JsonArray(emptyList()) else element(member)
        }
        return JsonObject(members)
    }

    /** Properties give the items of a list by their indexes. */
    private fun isList(value: Map<*, *>) = value.isNotEmpty() && value.keys.all { isIndex("$it") }

    private fun inOrder(items: Map<*, *>) = items.entries.sortedBy { "${it.key}".toInt() }.map { it.value }

    private fun canonical(name: String) = name.filter { it.isLetterOrDigit() }.lowercase()

    /** [rule] with the names of members as properties write them. */
    private fun spelled(rule: String) = rule.replace(WORD) { if (it.value in NAMES) kebab(it.value) else it.value }

    private fun kebab(path: String) = path.replace(HUMP) { "-" + it.value.lowercase() }

    private fun isIndex(key: String) = key.length in 1..4 && key.all { it in '0'..'9' }

    private val LISTS = setOf("serverDelays", "classifier", "retryOn", "rejectOn")
    private val RULES = listOf("retryOn", "rejectOn")

    private val HUMP = Regex("[A-Z]")
    private val WORD = Regex("""\b[a-z]+[A-Z]\w*""")

    /** Members that no preset has. */
    private val OTHERS = (
        "preset service retryOn rejectOn hedge stopAfter waitAtMost throttlingBase firstExponent leastCapacity " +
            "throttlingCost timeoutCost firstTryRefund reserveRefund operationShare perSecond windowSeconds " +
            "minFillRate minCapacity quietSeconds dropsStatus clockSkew definiteCodes possibleCodes atLeast maxExtraLoad"
        ).split(' ')

    private val NAMES: Set<String> by lazy { MEMBERS.values.toSet() }

    /** The names of all members, by their letters and digits. */
    private val MEMBERS: Map<String, String> by lazy {
        val names = OTHERS + Presets.all.flatMap { namesIn(PolicyJson.toElement(it.policy())) }
        names.associateBy(::canonical)
    }

    private fun namesIn(element: JsonElement): Set<String> = when (element) {
        is JsonObject -> element.keys + element.values.flatMap(::namesIn)
        is JsonArray -> element.flatMap(::namesIn).toSet()
        else -> emptySet()
    }
}
