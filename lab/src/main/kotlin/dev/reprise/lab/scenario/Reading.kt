package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Steps
import dev.reprise.lab.input.Document
import dev.reprise.lab.text.bare
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonPrimitive
import kotlin.time.Duration
import kotlin.time.DurationUnit

/*
 * What scenario files add to the values of JSON documents. What is wrong is told with path, rule and value.
 */

/** A number from [least] to [most]; the reader says so if it is not. */
internal fun Document.number(least: Double, most: Double, isOpen: Boolean = false): Double {
    val value = (element as? JsonPrimitive)?.takeIf { !it.isString && it !is JsonNull }?.content?.toDoubleOrNull()
    val isIn = value != null && value <= most && if (isOpen) value > least else value >= least
    if (isIn) return value!!
    wrong(
        if (isOpen) {
            "must be a number above ${bare(least)}, at most ${bare(most)}"
        } else {
            "must be a number from ${bare(least)} to ${bare(most)}"
        },
    )
}

/** A duration such as `50ms`, `1.5s` or `2m`, in seconds, from [least] to [most] seconds. */
internal fun Document.duration(least: Double, most: Double): Double {
    val value = (element as? JsonPrimitive)?.takeIf { it.isString && !it.content.startsWith("-") }
        ?.let { Duration.parseOrNull(it.content) }?.toDouble(DurationUnit.SECONDS)
    if (value != null && value in least..most) return value
    wrong("must be a duration from ${bare(least)}s to ${bare(most)}s, such as \"50ms\", \"1.5s\" or \"2m\"")
}

/** One of the [known] words. */
internal fun <T> Document.word(known: Map<String, T>): T {
    val text = (element as? JsonPrimitive)?.takeIf { it.isString }?.content
    return known[text] ?: wrong("must be one of ${known.keys.joinToString()}")
}

/** A number, or an object of numbers by the moment from which on they hold: `{0s: 100, 2m: 50}`. */
internal fun Document.steps(most: Double): Steps {
    if (element is JsonPrimitive) return listOf(0.0 to number(0.0, most, isOpen = true))
    val steps = entries().map { (at, value) ->
        Document(value.path, JsonPrimitive(at)).duration(0.0, Limits.LATEST) to value.number(0.0, most, isOpen = true)
    }
    val isInOrder = steps.firstOrNull()?.first == 0.0 && steps.zipWithNext().all { (a, b) -> a.first < b.first }
    return if (isInOrder) steps else wrong("must begin at 0s and go forward in time")
}

/** How much one simulation may ask for, so that a slip of the keyboard is an error and not a run without end. */
internal object Limits {
    const val CLIENTS = 1_000_000

    /** Calls that one run may be expected to make. */
    const val CALLS = 100_000_000L

    /** Seconds: a day. */
    const val LATEST = 86_400.0
}
