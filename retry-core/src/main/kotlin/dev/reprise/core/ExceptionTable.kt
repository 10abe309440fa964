package dev.reprise.core

import dev.reprise.core.shell.MAX_CAUSES
import dev.reprise.core.shell.firstOfCauses
import java.util.Arrays

/**
 * Classifies exceptions by rows of class names: of the failure and its causes, nearest first, the first one that a row
 * speaks of decides, and of the rows the first. Has no opinion otherwise. Immutable; compares by value.
 */
public class ExceptionTable(
    rules: List<ExceptionRule>,
    /** How many exceptions of the chain are looked at: 1 for the failure itself, 2 for its direct cause too; at least 1. */
    internal val depth: Int,
) : Classifier {
    /** The rows, first asked first. */
    internal val rules: List<ExceptionRule> = java.util.List.copyOf(rules)

    /** The table of these [rules], which looks at ten exceptions of the chain at most. */
    public constructor(rules: List<ExceptionRule>) : this(rules, MAX_CAUSES)

    internal constructor(vararg rules: ExceptionRule, depth: Int = MAX_CAUSES) : this(Arrays.asList(*rules), depth)

    // An array: each failure comes by, and an iterator would be garbage.
    private val array = rules.toTypedArray()

    init {
        require(depth >= 1) { "depth must be at least 1: $depth" }
    }

    override fun classifyFailure(failure: Throwable): Verdict? = firstOfCauses(failure, depth) { cause ->
        array.firstNotNullOfOrNull { it.verdict(cause) }
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun equals(other: Any?): Boolean = other is ExceptionTable && rules == other.rules && depth == other.depth

    override fun hashCode(): Int = rules.hashCode() * 31 + depth

    override fun toString(): String = rules.ifEmpty { listOf("no exceptions") }.joinToString("; ") +
        when (depth) {
            1 -> ""
            MAX_CAUSES -> ", or as a cause"
            else -> ", or as one of ${depth - 1} causes"
        }
}
