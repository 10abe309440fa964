package dev.reprise.core

/** What becomes of a result that is still not accepted when the call gives up. */
public enum class OnBadResult(
    /** The name in policy documents. */
    public val word: String,
) {
    /** The caller gets it, as if there had been no retries. */
    RETURN("return"),

    /** The caller gets a [BadResultException] that carries it. */
    THROW("throw"),
}
