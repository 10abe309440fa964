package dev.reprise.core.classify

import dev.reprise.core.shell.ShellApi

/** Which bodies a shell has to offer for a classifier to work: a rule that finds no body has no opinion. */
@ShellApi
public enum class BodyNeed {
    /** No body is looked at, as far as can be seen: what a lambda reads is not known. */
    NONE,

    /** Those of failures: a rule asks for the error message. */
    FAILURES,

    /** Those of all responses that carry a checksum, and of failures. */
    ALL,
    ;

    public companion object {
        /** What [classifier] reads. */
        @JvmStatic
        public fun of(classifier: Classifier): BodyNeed = when (classifier) {
            is FirstOf -> classifier.parts.maxOfOrNull(::of) ?: NONE
            is Crc32Check -> ALL
            is ErrorTable -> if (classifier.rules.any { it.message != null }) FAILURES else NONE
            else -> NONE
        }
    }
}
