package dev.reprise.core

/** The results that a [Classifier] must be asked about, from fewest to most. */
public enum class ResultScope {
    /** None: it judges exceptions only. */
    NONE,

    /** Results that are an [HttpOutcome]. */
    HTTP,

    /** Any. */
    ANY,
}
