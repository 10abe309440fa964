package dev.reprise.core.classify

/** Which results a [Classifier] has to be asked about, from fewest to most. */
public enum class ResultScope {
    /** None: it judges exceptions only. */
    NONE,

    /** Those that are an [HttpOutcome]. */
    HTTP,

    /** Any. */
    ANY,
}
