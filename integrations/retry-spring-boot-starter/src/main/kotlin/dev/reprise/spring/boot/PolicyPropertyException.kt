package dev.reprise.spring.boot

/** A property of a policy or client breaks a rule. */
public class PolicyPropertyException(
    /** The name of the property. */
    public val property: String,
    /** The rule that it breaks. */
    public val rule: String,
    /** Its value, if that is short; otherwise the kind of its value. Empty if it is of no interest. */
    public val value: String,
    cause: Throwable?,
) : IllegalArgumentException("$property: $rule" + if (value.isEmpty()) "" else ": $value", cause)
