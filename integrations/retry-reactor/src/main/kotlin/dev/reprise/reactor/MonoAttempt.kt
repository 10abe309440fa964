package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.machine.Repeatable
import reactor.core.publisher.Mono
import reactor.core.publisher.Operators
import reactor.util.context.Context

/**
 * The attempts of a call, for clients that need more than a mono: it discards results, judges failures of its own, and
 * says whether the call may be repeated.
 */
@ShellApi
public abstract class MonoAttempt<T : Any> : Repeatable {
    /** The kind of the results: decides when one that another attempt replaces is discarded. */
    public open val kind: ResultKind get() = ResultKind.CLOSEABLE

    /** Makes one attempt. An exception fails the attempt. Cancelled when the attempt times out, and with the call. */
    public abstract fun make(attempt: Attempt): Mono<T>

    /**
     * Closes a [result] that the subscriber with [context] will not get; the call continues when the mono has
     * completed. Each result is either passed on or discarded, also after a cancellation. By default it goes to
     * `doOnDiscard`.
     */
    public open fun discard(result: T, context: Context): Mono<Void> {
        Operators.onDiscard(result, context)
        return Mono.empty()
    }

    /**
     * Whether another attempt may follow the one that has just ended. Overrides the policy. Called once after each
     * attempt that the policy would retry, because of a failure or a result, and after no other.
     */
    override fun mayRepeat(): Boolean = true

    /** The verdict on a [failure] that only this client can read; `null` leaves it to the classifier. */
    public open fun verdictOn(failure: Throwable): Verdict? = null
}

/** Each attempt is a subscription to the mono that [make] returns for it. */
internal class MadeAttempt<T : Any>(private val make: (Attempt) -> Mono<T>) : MonoAttempt<T>() {
    override fun make(attempt: Attempt): Mono<T> = make.invoke(attempt)
}
