package dev.reprise.spring.boot

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer
import org.springframework.boot.diagnostics.FailureAnalysis

/** A property of a policy or client breaks a rule. */
public class PolicyPropertyException(
    /** The name of the property. */
    public val property: String,
    /** The rule that it breaks. */
    public val rule: String,
    /** Its value, if that is short; else what kind of value it is. */
    public val value: String,
    cause: Throwable?,
) : IllegalArgumentException("$property: $rule: $value", cause)

/** Prints a [PolicyPropertyException] as Spring Boot prints wrong properties. */
internal class PolicyPropertyFailureAnalyzer : AbstractFailureAnalyzer<PolicyPropertyException>() {
    override fun analyze(rootFailure: Throwable, cause: PolicyPropertyException): FailureAnalysis = FailureAnalysis(
        "The property ${cause.property} ${cause.rule}: ${cause.value}",
        "Correct ${cause.property}. Its form is that of a policy document: docs/policy-json.md.",
        cause,
    )
}
