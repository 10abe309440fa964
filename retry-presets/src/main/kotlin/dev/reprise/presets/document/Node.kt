package dev.reprise.presets.document

import dev.reprise.core.shell.InvalidPolicyException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.math.BigDecimal
import java.time.Duration

/** A JSON value with its path; every accessor reports an error with path, rule and value. */
internal class Node(val path: String, val element: JsonElement) {
    val isNull: Boolean get() = element is JsonNull
    val isNone: Boolean get() = isNull || textOrNull() == "none"
    val isText: Boolean get() = element is JsonPrimitive && element.isString
    val isObject: Boolean get() = element is JsonObject
    val isArray: Boolean get() = element is JsonArray

    /** The kind of this value, for messages that must not show it. */
    val kind: String
        get() = when (element) {
            is JsonObject -> "an object"
            is JsonArray -> "an array"
            is JsonNull -> "null"
            is JsonPrimitive -> if (isText) "a text" else "a number or word"
        }

    /** Refuses this value. Shows it if it is short, as a policy's values are; a long one may be anything. */
    fun wrong(rule: String): Nothing {
        val isShort = element is JsonPrimitive && element.content.length <= LONGEST_SHOWN
        throw PolicyFormatException(path, rule, if (isShort) element.toString() else kind)
    }

    /** Refuses this value without showing it: it may be a secret in the wrong place. */
    fun misplaced(rule: String): Nothing = throw PolicyFormatException(path, rule, kind)

    fun members(): Members = Members(path, element as? JsonObject ?: misplaced("must be an object"))

    /** Returns the result of [make] on the members. Rejects unknown members. */
    inline fun <T> read(make: (Members) -> T): T = members().let { members -> members.build { make(members) } }

    fun items(): List<Node> {
        val array = element as? JsonArray ?: misplaced("must be an array")
        return array.mapIndexed { i, item -> Node("$path[$i]", item) }
    }

    /** The items of an array, or of one text with commas between them, as property files have it. */
    fun list(): List<Node> = textOrNull()?.split(',')?.map { Node(path, JsonPrimitive(it.trim())) } ?: items()

    /** The texts of a [list]. */
    fun texts(): Set<String> = list().map { it.text() }.toSet()

    /** This value with all names of members in camel case, however they were written. */
    fun camelCase(): Node = Node(path, camelCase(path, element))

    private fun camelCase(path: String, element: JsonElement): JsonElement = when (element) {
        is JsonPrimitive -> element

        is JsonArray -> JsonArray(element.mapIndexed { i, item -> camelCase("$path[$i]", item) })

        is JsonObject -> {
            val members = LinkedHashMap<String, JsonElement>()
            for ((name, value) in element) {
                val at = "$path.${step(memberName(name))}"
                val twin = members.put(memberName(name), camelCase(at, value))
                if (twin != null) throw PolicyFormatException(at, "must stand in its object only once", "the second")
            }
            JsonObject(members)
        }
    }

    fun text(): String = textOrNull() ?: wrong("must be a text")

    fun textOrNull(): String? = if (isText) (element as JsonPrimitive).content else null

    fun boolean(): Boolean = when (literal()) {
        "true" -> true
        "false" -> false
        else -> wrong("must be true or false")
    }

    fun intOrNull(): Int? = literal()?.takeIf { WHOLE.matches(it) }?.toIntOrNull()

    fun int(): Int = intOrNull()
        ?: wrong("must be a whole number from ${Int.MIN_VALUE} to ${Int.MAX_VALUE}")

    fun double(): Double = number()?.toDoubleOrNull()?.takeIf { it.isFinite() } ?: wrong("must be a number")

    /** A number as it is written, exact; an exponent may only have two digits. */
    fun decimal(): BigDecimal = number()?.takeIf { PLAIN.matches(it) }?.toBigDecimal() ?: wrong("must be a number")

    /** A duration in ns. */
    fun nanos(): Long = textOrNull()?.let { DurationText.parse(it) }
        ?: wrong("must be a duration such as \"50ms\", \"1.5s\" or \"PT1.5S\"")

    /** A duration. */
    fun duration(): Duration = Duration.ofNanos(nanos())

    /** A duration in ns, or `null` for `null` and `"unlimited"`. */
    fun limitNanos(): Long? = if (isNull || textOrNull() == DurationText.UNLIMITED) null else nanos()

    /** The [value][known] that one of the known words stands for. */
    fun <T> word(known: Map<String, T>): T {
        val list = known.keys
        return known.getValue(meant(list) ?: wrong(mustBeOneOf(textOrNull(), list, list.joinToString { "\"$it\"" })))
    }

    /** The one of the [known] words that this text means, however it is spelt. YAML reads a plain `off` as `false`. */
    fun meant(known: Set<String>): String? {
        val word = textOrNull() ?: if (element == JsonPrimitive(false)) "off" else return null
        return known.find { it == word } ?: known.find { canonical(it) == canonical(word) }
    }

    /** Returns the result of [make]; reports a rule that it finds broken here. */
    inline fun <T> checked(make: () -> T): T = try {
        make()
    } catch (failure: PolicyFormatException) {
        throw failure
    } catch (failure: InvalidPolicyException) {
        throw PolicyFormatException("$path.${failure.name}", failure.rule, failure.value)
    } catch (failure: IllegalArgumentException) {
        val rule = failure.message ?: "is not allowed"
        // Of an object's rule the message has name and value.
        if (element is JsonPrimitive) wrong(rule) else throw PolicyFormatException(path, rule, "")
    }

    private fun number(): String? = literal()?.takeIf { NUMBER.matches(it) }

    /** A number or a word, also in quotation marks: property files have texts only. */
    private fun literal(): String? = (element as? JsonPrimitive)?.takeIf { !isNull }?.content
}

/** The members of the object at [path]; each is read by name, and [done] rejects unread ones. */
internal class Members(private val path: String, val json: JsonObject) {
    private val known = LinkedHashSet<String>()

    operator fun get(name: String): Node? {
        known += name
        return json[name]?.let { child(name, it) }
    }

    /** Names members that were read before, for the message about an unknown one. */
    fun mayHave(vararg names: String) {
        known += names
    }

    fun required(name: String): Node = this[name] ?: Node(path, json).wrong("must have the member \"$name\"")

    /** Ends the reading: rejects a member that was not read. */
    fun done() {
        for ((name, value) in json) {
            if (name in known) continue
            throw PolicyFormatException(child(name, value).path, "unknown member, ${mustBeOneOf(name, known)}", "")
        }
    }

    /** Returns the result of [make] on the members. Rejects unknown members. */
    inline fun <T> build(make: () -> T): T = Node(path, json).checked { make().also { done() } }

    /** Long names are left out of paths, so that a long name with many members costs no more than it weighs. */
    private fun child(name: String, value: JsonElement) = Node("$path.${step(name)}", value)
}

private const val LONGEST_SHOWN = 24
private val WHOLE = Regex("-?+(?:0|[1-9][0-9]{0,17}+)")
private val PLAIN = Regex("[-0-9.]{1,40}+(?:[eE][-+]?+[0-9]{1,2}+)?+")
private val NUMBER = Regex("-?+(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+")
