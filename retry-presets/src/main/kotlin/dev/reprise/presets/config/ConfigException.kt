package dev.reprise.presets.config

import dev.reprise.core.shell.text.oneLine

/**
 * A setting has a wrong value. The library reports it and does not guess: a retry configuration that was ignored
 * silently shows only in an outage.
 *
 * Each part is one line of bounded length without control characters and without passwords and queries of URLs. The
 * configuration file holds secret keys too, so the message shows only a retry setting's own value from it.
 */
public class ConfigException(source: String, rule: String, value: String) :
    IllegalArgumentException("${fit(source)}: ${fit(rule)}: ${fit(value)}") {
    /** Where the value comes from, such as `environment AWS_MAX_ATTEMPTS` or `file /home/me/.aws/config line 3`. */
    public val source: String = fit(source)

    /** The rule that is broken, such as `must be a whole number of at least 1`. */
    public val rule: String = fit(rule)

    /** The value found there, or its length in words if it could be a secret. */
    public val value: String = fit(value)

    private companion object {
        const val serialVersionUID = 1L

        fun fit(part: String) = oneLine(part)
    }
}
