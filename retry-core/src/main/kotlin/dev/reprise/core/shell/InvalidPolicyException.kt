package dev.reprise.core.shell

/** A setting [name] that breaks a [rule] about several settings. */
@ShellApi
public class InvalidPolicyException(public val name: String, public val rule: String, public val value: String) :
    IllegalArgumentException("$name $rule: $value") {
    private companion object {
        const val serialVersionUID = 1L
    }
}
