package dev.reprise.core

/** The end of a call that gives up on a result that was not accepted. */
public enum class OnBadResult {
    /** The caller gets it, as if there had been no retries. */
    RETURN,

    /** The caller gets a [BadResultException] that carries it. */
    THROW,
}
