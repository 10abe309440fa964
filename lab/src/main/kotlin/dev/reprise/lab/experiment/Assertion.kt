package dev.reprise.lab.experiment

import dev.reprise.lab.input.BadInput

/** A condition on the figures of a run: `recovery < 5s`, or `standard-2.1: amplification <= 1.2` for one policy. */
internal class Assertion private constructor(
    private val text: String,
    private val label: String?,
    private val figure: Figure,
    private val holds: (Double, Double) -> Boolean,
    private val bound: Double,
) {
    /**
     * Returns a line for each policy for which this does not hold, from [figures] by label and name. A figure without a
     * value, and a label that was not tried, do not hold.
     */
    fun broken(figures: Map<String, Map<String, Double>>): List<String> {
        if (label != null && label !in figures) return listOf("assertion failed: $text: no policy is called $label")
        return figures.filterKeys { label == null || it == label }.mapNotNull { (policy, values) ->
            val value = values[figure.name] ?: Double.NaN
            val isBroken = value.isNaN() || !holds(value, bound)
            "assertion failed: $text: $policy has ${figure.text(value)}".takeIf { isBroken }
        }
    }

    companion object {
        private val RELATIONS = mapOf<String, (Double, Double) -> Boolean>(
            "<=" to { a, b -> a <= b },
            ">=" to { a, b -> a >= b },
            "<" to { a, b -> a < b },
            ">" to { a, b -> a > b },
        )
        private val FORM = Regex("""(?:(.+):)? *([a-z0-9-]+) *(<=|>=|<|>) *(.+?) *""")

        /** Reads the assertion in [text]; reports an error in one line. */
        fun read(text: String): Assertion {
            val (label, name, sign, bound) = FORM.matchEntire(text)?.destructured
                ?: throw BadInput("an assertion must be like 'recovery < 5s': $text")
            val figure = Figure.all[name]
                ?: throw BadInput("$text: $name is not a figure, must be one of ${Figure.all.keys.joinToString()}")
            return Assertion(
                text = text,
                label = label.trim().ifEmpty { null },
                figure = figure,
                holds = RELATIONS.getValue(sign),
                bound = figure.parse(bound) ?: throw BadInput("$text: $bound is not a value of $name"),
            )
        }
    }
}
