package dev.reprise.presets.config

/** The value of a setting, and where it was found. Immutable; compares by value. */
public class Setting<out T : Any>(
    /** The value. */
    public val value: T,
    /** Where it comes from, such as `environment AWS_RETRY_MODE`. */
    public val source: String,
) {
    override fun equals(other: Any?): Boolean = other is Setting<*> && value == other.value && source == other.source

    override fun hashCode(): Int = value.hashCode() * 31 + source.hashCode()

    override fun toString(): String = "$value ($source)"
}
