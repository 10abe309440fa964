package dev.reprise.test

/** A defect that a [FaultProbe] found. */
public class Finding internal constructor(
    /** The kind of defect. */
    public val kind: Kind,
    /** The probe's actions and the code's reaction. */
    public val text: String,
) {
    /** The defects of retry code, after the study of WASABI (SOSP 2024), as far as a probe can see them. */
    public enum class Kind {
        /** A failure that another attempt would have mended is not retried. */
        NO_RETRY,

        /** A failure that no attempt will mend is retried. */
        RETRIED_IN_VAIN,

        /** Attempts have no end. */
        MISSING_CAP,

        /** Attempts follow one another at once. */
        MISSING_DELAY,

        /** One call changes the next one. */
        STATE_NOT_RESET,

        /** One call changes another one at the same time. */
        SHARED_STATE,

        /** Work continues after its caller has given up. */
        REPEATED_AFTER_CANCELLATION,

        /** Work is repeated that must not be done twice. */
        UNSAFE_REPEAT,

        /** The caller does not see what failed. */
        LOST_FAILURE,
    }

    override fun toString(): String = "$kind: $text"
}
