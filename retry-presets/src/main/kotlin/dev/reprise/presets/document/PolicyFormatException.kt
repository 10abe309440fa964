package dev.reprise.presets.document

import dev.reprise.core.shell.text.oneLine

/**
 * A document cannot be read, or a value cannot be written as one: policies as JSON, and retry models.
 *
 * The message consists of the three parts and can be shown as it is. Each is one line of bounded length without control
 * characters and without passwords and queries of URLs. A document that is not a policy is not shown.
 */
public class PolicyFormatException(path: String, rule: String, value: String) :
    IllegalArgumentException("${fitPath(path)}: ${fit(rule)}" + if (value.isEmpty()) "" else ": ${fit(value)}") {
    /** Where, as a JSON path such as `$.backoff.cap`; of a long one the end. */
    public val path: String = fitPath(path)

    /** The rule that is broken, such as `must be a duration such as 50ms`. */
    public val rule: String = fit(rule)

    /** The value found there, shortened where it is long; empty if it is of no interest. */
    public val value: String = fit(value)

    private companion object {
        const val serialVersionUID = 1L

        /** Some rules list all presets. */
        const val LONGEST = 1_000
        const val LONGEST_PATH = 200

        fun fit(part: String) = oneLine(part, longest = LONGEST)

        fun fitPath(path: String): String {
            val end = if (path.length <= LONGEST_PATH) path else "..." + path.takeLast(LONGEST_PATH)
            return oneLine(end.replace('\n', ' ').replace('\r', ' '), redact = false, longest = LONGEST)
        }
    }
}
