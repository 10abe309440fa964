package dev.reprise.core.config

/**
 * A setting is there and is wrong. What is wrong is said and never guessed at: a retry configuration that is ignored in
 * silence is found out on the worst day.
 */
public class ConfigException(
    /** Where the value comes from, such as `environment AWS_MAX_ATTEMPTS` or `file /home/me/.aws/config line 3`. */
    public val source: String,
    /** The rule that is broken, such as `must be a whole number of at least 1`. */
    public val rule: String,
    /** The value found there. */
    public val value: String,
) : IllegalArgumentException("$source: $rule: $value") {
    private companion object {
        const val serialVersionUID = 1L
    }
}
