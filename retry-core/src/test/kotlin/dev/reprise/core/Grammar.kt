package dev.reprise.core

import java.nio.file.Path
import kotlin.io.path.readText

private val RULE = Regex("""^(?: \* )?(\w+) += (.+)$""")
private val MORE = Regex("""^(?: \* )? +(\|.+)$""")
private val TOKEN = Regex("""\w+|[\[\]{}|]""")

/** A grammar of events as a comment or a page shows it, as a regular expression in which each event is a letter. */
internal class Grammar private constructor(private val rules: Map<String, String>) {
    val regex: Regex get() = Regex(expression("call"))

    private fun expression(rule: String): String =
        TOKEN.findAll(rules.getValue(rule)).joinToString("", "(?:", ")") { token ->
            when (val word = token.value) {
                "[", "{" -> "(?:"
                "]" -> ")?"
                "}" -> ")*"
                "|" -> "|"
                in rules -> expression(word)
                else -> Regex.escape(letters.getValue(word).toString())
            }
        }

    override fun equals(other: Any?): Boolean = other is Grammar && rules == other.rules

    override fun hashCode(): Int = rules.hashCode()

    override fun toString(): String = rules.entries.joinToString("\n") { (name, rule) -> "$name = $rule" }

    companion object {
        /** The letter of each event by its name. */
        val letters: Map<String, Char> = mapOf(
            "CallStarted" to 'S',
            "PermitWaited" to 'P',
            "AttemptStarted" to 'A',
            "HedgeStarted" to 'H',
            "HedgeRefused" to 'h',
            "HedgeWon" to 'W',
            "AttemptFailed" to 'F',
            "UnitJudged" to 'U',
            "ServerDelayIgnored" to 'I',
            "QuotaTaken" to 'T',
            "QuotaRefused" to 'N',
            "QuotaRefunded" to 'B',
            "RetryScheduled" to 'R',
            "CallSucceeded" to '+',
            "CallGaveUp" to '-',
            "CallCancelled" to 'x',
        )

        /** The grammar in [file]: from the rule of `call` to the end of its block. What is far to the right is a remark. */
        fun of(file: Path): Grammar {
            val lines = file.readText().lines().dropWhile { "call   = " !in it }.takeWhile { "```" !in it }
            val rules = linkedMapOf<String, String>()
            for (line in lines) {
                val rule = RULE.matchEntire(line)
                val more = MORE.matchEntire(line)
                val text = rule?.groupValues?.get(2) ?: more?.groupValues?.get(1) ?: error("no rule: $line")
                val said = text.substringBefore("   ").trim()
                if (rule != null) rules[rule.groupValues[1]] = said else rules[rules.keys.last()] += " $said"
            }
            return Grammar(rules)
        }
    }
}
