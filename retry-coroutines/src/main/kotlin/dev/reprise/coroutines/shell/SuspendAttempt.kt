package dev.reprise.coroutines.shell

import dev.reprise.core.Attempt
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.ResultKind

/**
 * The attempts of one call, for clients that need more than a block. A block for [call] and [outcome] that also
 * discards results, judges failures of its own, and says whether it may be repeated. Runs in the same loop as `retrier
 * { }`. Confined to one call.
 *
 * It is a class, not an interface, so that the loop's test for it is one load and compare.
 */
@ShellApi
public abstract class SuspendAttempt<T> : suspend (Attempt) -> T {
    /** The kind of the results: decides when one that another attempt replaces is discarded. */
    public open val kind: ResultKind get() = ResultKind.VALUE

    /** Makes one attempt. Cancelled when the attempt times out, and with the call. */
    abstract override suspend fun invoke(attempt: Attempt): T

    /**
     * Closes a [result] that the caller will not get. Each result is either returned or discarded, also in a cancelled
     * coroutine, where suspending throws.
     */
    public open suspend fun discard(result: T) {}

    /**
     * Whether another attempt may follow the one that has just ended. Overrides the policy. Called once after each attempt
     * that the policy would retry, because of a failure, a timeout or a result, and after no other. Cancellation passes through.
     */
    public open suspend fun mayRepeat(): Boolean = true

    /** Whether a copy of the attempt that begins may run beside it: both would call [invoke] at once. */
    public open val mayRunTwice: Boolean get() = false

    /** The verdict on a [failure] that only this client can read; `null` leaves it to the classifier. */
    public open fun verdictOn(failure: Throwable): Verdict? = null

    /** Told after an attempt that another one follows in [delayNanos]: a [result] is not discarded yet. May throw: that ends the call. */
    public open fun beforeRetry(failure: Throwable?, result: T?, delayNanos: Long) {}

    /** Runs [wait], a wait of the call. To cut it short, throw. */
    public open suspend fun around(wait: suspend () -> Unit): Unit = wait()
}
