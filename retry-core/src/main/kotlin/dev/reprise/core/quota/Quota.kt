package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind

/**
 * Pays for retries, never for first attempts: shared by the calls of one client. [QuotaSettings.open] makes one.
 *
 * Every implementation here is lock-free and safe for any number of threads, never has less than zero tokens or more than
 * [capacity], and refuses negative amounts with an [IllegalArgumentException].
 */
public interface Quota {
    /** The tokens of a full quota at the moment. */
    public val capacity: Int

    /** The tokens that are there now. */
    public val available: Int

    /**
     * Takes [tokens] for a retry after a failure of [kind] in a call of [operation], which may be unknown. Returns `false`,
     * and takes none, if there are too few.
     */
    public fun tryTake(tokens: Int, kind: FailureKind, operation: String?): Boolean

    /**
     * Takes back [tokens] that a call of [operation] paid for a retry that did not begin. Returns the tokens that there was
     * room for.
     */
    public fun giveBack(tokens: Int, operation: String?): Int

    /**
     * Records that a call of [operation] succeeded. [tokens] is what its last retry cost, or the settings' refund for a first
     * attempt. Returns the tokens that were added.
     */
    public fun succeeded(tokens: Int, operation: String?): Int
}
