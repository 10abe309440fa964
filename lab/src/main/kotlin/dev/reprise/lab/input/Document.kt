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
    private val primitive = element as? JsonPrimitive
    private val textOrNull = primitive?.takeIf { it.isString }?.content
    private val literal = primitive?.takeIf { !it.isString }?.content
    private val numberOrNull = literal?.takeIf { NUMBER.matches(it) }

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

    fun text(): String = textOrNull ?: wrong("must be a text")

    /** A text, or a number as it is written. */
    fun textOrNumber(): String = numberOrNull ?: text()

    fun flag(): Boolean = literal?.toBooleanStrictOrNull() ?: wrong("must be true or false")

    fun wholeNumber(range: IntRange): Int =
        numberOrNull?.toIntOrNull()?.takeIf { it in range } ?: wrong("must be a whole number from $range")

    fun number(least: Double, most: Double): Double = numberOrNull?.toDouble()?.takeIf { it in least..most }
        ?: wrong("must be a number from ${bare(least)} to ${bare(most)}")

    fun numberAbove(bound: Double, most: Double): Double = numberOrNull?.toDouble()?.takeIf { it > bound && it <= most }
        ?: wrong("must be a number above ${bare(bound)}, at most ${bare(most)}")

    /** A duration such as `50ms`, `1.5s` or `2m`, in seconds, from [least] to [most] seconds. */
    fun duration(least: Double = 0.0, most: Double = Limits.LATEST): Double =
        textOrNull?.takeIf { !it.startsWith("-") }?.let(Duration::parseOrNull)?.toDouble(DurationUnit.SECONDS)
            ?.takeIf { it in least..most }
            ?: wrong("must be a duration from ${bare(least)}s to ${bare(most)}s, such as \"50ms\", \"1.5s\" or \"2m\"")

    /** The value of one of the [known] words. */
    fun <T> word(known: Map<String, T>): T = known[textOrNull] ?: wrong("must be one of ${known.keys.joinToString()}")

    /** Seconds, as whole ns. */
    fun seconds(): Long {
        val text = numberOrNull?.takeIf { it.toDouble() in -LATEST..LATEST } ?: wrong("must be a number of seconds")
        return BigDecimal(text).movePointRight(9).setScale(0, RoundingMode.HALF_EVEN).toLong()
    }

    fun wrong(rule: String): Nothing {
        val value = element.toString()
        throw PolicyFormatException(path, rule, if (value.length <= SHOWN) value else value.take(SHOWN) + "…")
    }

    companion object {
        val NUMBER = Regex("-?(0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][-+]?[0-9]{1,4})?")
        private const val SHOWN = 80

        /** The last second that a clock in ns can show, near enough. */
        private const val LATEST = 9.2e9

        fun parse(text: String): Document = try {
            Document("$", Json.parseToJsonElement(text)).also { requireOnce(text) }
        } catch (failure: SerializationException) {
            throw PolicyFormatException("$", "must be JSON", failure.message.orEmpty().lineSequence().first())
        }

        /** Refuses an object with two members of one name, of which the parser takes the last. The [text] is JSON. */
        private fun requireOnce(text: String) {
            val open = ArrayDeque<HashSet<String>>()
            for (token in TOKEN.findAll(text)) {
                when (token.value.first()) {
                    '{' -> open.addLast(HashSet())
                    '}' -> open.removeLast()
                    else -> if (token.groups[2] != null) requireOnce(token.groupValues[1], open.last())
                }
            }
        }

        private fun requireOnce(name: String, names: HashSet<String>) {
            if (!names.add(Json.decodeFromString(name))) {
                throw PolicyFormatException("$", "must have each member of an object once", "$name twice")
            }
        }

        /** A brace, or a string; with a colon after it the string names a member. */
        private val TOKEN = Regex("[{}]|(\"(?:[^\"\\\\]++|\\\\.)*+\")(\\s*+:)?")
    }
}

/** The members of [owner] that are there. */
internal class Members(private val owner: Document, members: Map<String, Document>) : Map<String, Document> by members {
    /** The member [name]; the reader says so if it is missing. */
    fun required(name: String): Document = this[name] ?: owner.wrong("must have the member \"$name\"")
}

/** How much one simulation may ask for, so that a slip of the keyboard is an error and not a run without end. */
internal object Limits {
    const val CLIENTS = 1_000_000

    /** Calls that one run may be expected to make. */
    const val CALLS = 100_000_000L

    /** Seconds: a day. */
    const val LATEST = 86_400.0
}
