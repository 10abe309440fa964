package dev.reprise.core.document

/**
 * A document cannot be read as what it should be, or a value cannot be written as one: policies as JSON, and retry models.
 *
 * The message holds the three parts, so that it can be shown as it is.
 */
public class PolicyFormatException(
    /** Where, as a JSON path such as `$.backoff.cap`. */
    public val path: String,
    /** The rule that is broken, such as `must be a duration such as 50ms`. */
    public val rule: String,
    /** The value found there, shortened where it is long. */
    public val value: String,
) : IllegalArgumentException("$path: $rule: $value")
