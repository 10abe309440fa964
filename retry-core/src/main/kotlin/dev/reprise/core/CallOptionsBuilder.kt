package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.limitOf
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/** Builds [CallOptions]: as the receiver of `CallOptions { }` in Kotlin, as a chain of calls in Java. Not thread-safe. */
public class CallOptionsBuilder internal constructor(options: CallOptions) {
    /** The operation's name, for listeners and the quota's shares; `null` if it has none. */
    @set:JvmSynthetic
    public var operation: String? = options.operation

    /** Whether the work may be done more than once; `null` for not said. */
    @set:JvmSynthetic
    public var repeat: Repeat? = options.repeat

    /** Whether this is a long poll: a refused quota delays its failure. */
    @set:JvmSynthetic
    public var longPolling: Boolean = options.longPolling

    private var deadlineNanos: Long = options.deadlineNanos

    /** The longest that this call may take; of this and its policy's deadline the shorter one counts. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var deadline: Duration?
        get() = limitOf(deadlineNanos)
        set(value) {
            setDeadline(value?.toNanos())
        }

    /** Sets the operation's name; `null` for none. */
    public fun operation(operation: String?): CallOptionsBuilder = apply { this.operation = operation }

    /** Sets whether the work may be done more than once; `null` for not said. */
    public fun repeat(repeat: Repeat?): CallOptionsBuilder = apply { this.repeat = repeat }

    /** Sets whether this is a long poll. */
    public fun longPolling(isLongPoll: Boolean): CallOptionsBuilder = apply { longPolling = isLongPoll }

    /** Sets the longest that this call may take; `null` for as long as its policy says. */
    public fun deadline(deadline: JavaDuration?): CallOptionsBuilder =
        apply { setDeadline(deadline?.toNanosSaturated()) }

    /** The options. */
    public fun build(): CallOptions = CallOptions(operation, repeat, longPolling, deadlineNanos)

    private fun setDeadline(nanos: Long?) {
        require(nanos == null || nanos > 0) { "deadline must be above zero: ${nanos?.let(::nanosText)}" }
        deadlineNanos = nanos ?: UNLIMITED_NANOS
    }
}
