package dev.reprise.lab.input

import dev.reprise.lab.text.bare
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.math.BigDecimal
import java.math.RoundingMode
import kotlin.time.Duration
import kotlin.time.DurationUnit

/**
 * A value of a JSON document with its path. A wrong value is refused with a [PolicyFormatException], as in policy
 * documents.
 */
internal class Document(val path: String, val element: JsonElement) {
    val isArray: Boolean get() = element is JsonArray
    val isText: Boolean get() = element is JsonPrimitive && element.isString

    /** The members of this object, all of which must be among [known]; `null` counts as absent. */
    fun members(vararg known: String): Members {
        val all = entries().toMap()
        for ((name, member) in all) {
            if (name !in known) member.wrong("unknown member, must be one of ${known.joinToString()}")
        }
        return Members(this, all.filterValues { it.element !is JsonNull })
    }

    /** All members of this object, with any names. */
    fun entries(): List<Pair<String, Document>> {
        val members = element as? JsonObject ?: wrong("must be an object")
        return members.map { (name, value) -> name to Document("$path.$name", value) }
    }

    fun items(): List<Document> {
        val array = element as? JsonArray ?: wrong("must be an array")
        return array.mapIndexed { index, item -> Document("$path[$index]", item) }
    }

    fun text(): String = (element as? JsonPrimitive)?.takeIf { it.isString }?.content ?: wrong("must be a text")

    /** A text, or a number as it is written. */
    fun textOrNumber(): String = number() ?: text()

    fun flag(): Boolean = when ((element as? JsonPrimitive)?.takeIf { !it.isString }?.content) {
        "true" -> true
        "false" -> false
        else -> wrong("must be true or false")
    }

    fun wholeNumber(range: IntRange): Int =
        number()?.toIntOrNull()?.takeIf { it in range } ?: wrong("must be a whole number from $range")

    /** A number from [least], or above it if [isOpen], to [most]. */
    fun number(least: Double, most: Double, isOpen: Boolean = false): Double {
        val value = (element as? JsonPrimitive)?.takeIf { !it.isString && it !is JsonNull }?.content?.toDoubleOrNull()
        val isIn = value != null && value <= most && if (isOpen) value > least else value >= least
        if (isIn) return value!!
        val range = if (isOpen) {
            "above ${bare(
                least,
            )}, at most ${bare(most)}"
        } else {
            "from ${bare(least)} to ${bare(most)}"
        }
        wrong("must be a number $range")
    }

    /** A duration such as `50ms`, `1.5s` or `2m`, in seconds, from [least] to [most] seconds. */
    fun duration(least: Double, most: Double): Double {
        val value = (element as? JsonPrimitive)?.takeIf { it.isString && !it.content.startsWith("-") }
            ?.let { Duration.parseOrNull(it.content) }?.toDouble(DurationUnit.SECONDS)
        if (value != null && value in least..most) return value
        wrong("must be a duration from ${bare(least)}s to ${bare(most)}s, such as \"50ms\", \"1.5s\" or \"2m\"")
    }

    /** The value of one of the [known] words. */
    fun <T> word(known: Map<String, T>): T {
        val text = (element as? JsonPrimitive)?.takeIf { it.isString }?.content
        return known[text] ?: wrong("must be one of ${known.keys.joinToString()}")
    }

    /** Seconds, as whole ns. */
    fun seconds(): Long {
        val text = number()?.takeIf { it.toDouble() in -LATEST..LATEST } ?: wrong("must be a number of seconds")
        return BigDecimal(text).movePointRight(9).setScale(0, RoundingMode.HALF_EVEN).toLong()
    }

    fun wrong(rule: String): Nothing {
        val value = element.toString()
        throw PolicyFormatException(path, rule, if (value.length <= SHOWN) value else value.take(SHOWN) + "…")
    }

    private fun number(): String? =
        (element as? JsonPrimitive)?.takeIf { !it.isString && NUMBER.matches(it.content) }?.content

    companion object {
        private val NUMBER = Regex("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]{1,4})?")
        private const val SHOWN = 80

        /** The last second that a clock in ns can show, near enough. */
        private const val LATEST = 9.2e9

        fun parse(text: String): Document = try {
            Document("$", Json.parseToJsonElement(text))
        } catch (failure: SerializationException) {
            throw PolicyFormatException("$", "must be JSON", failure.message.orEmpty().lineSequence().first())
        }
    }
}

/** The members of [owner] that are there. */
internal class Members(private val owner: Document, members: Map<String, Document>) : Map<String, Document> by members {
    /** The member [name]; the reader says so if it is missing. */
    fun required(name: String): Document = this[name] ?: owner.wrong("must have the member \"$name\"")
}
