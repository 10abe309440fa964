package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.ShellApi
import java.util.concurrent.atomic.AtomicReference

/**
 * The send rate of one client: shared by all of its calls, safe for any number of threads, never blocking. It is open
 * for rates that processes share, which get their permits from elsewhere.
 *
 * Holds one immutable [SendRateState]; every change is a compare-and-set. All times are readings, in nanoseconds, of
 * the one monotonic clock that [startedAt] was read from.
 */
public open class SendRate(settings: SendRateSettings, startedAt: Long) {
    private val current = AtomicReference(SendRateState(settings, startedAt))
    private val watcher = AtomicReference<RateWatcher>()

    /** The state at this moment. */
    @ShellApi
    public val state: SendRateState get() = current.get()

    /** The settings that are in force. */
    public val settings: SendRateSettings get() = current.get().settings

    /** Whether permits are limited. */
    public open val isOn: Boolean get() = current.get().enabled

    /** Whether the rate is held because the last answers were failures. */
    public val isHeld: Boolean get() = current.get().isHeld

    /** The permitted rate in attempts a second; null while permits are free. */
    public open val sendRate: Double? get() = current.get().run { if (enabled) sendRate else null }

    /** The measured rate in answers a second. */
    public open val measuredRate: Double get() = current.get().measuredRate

    /** Takes a permit if one is there at [now]; never waits. While the limiter is off it only reads. */
    public open fun tryTake(now: Long): Boolean {
        while (true) {
            val before = current.get()
            if (before.enabled && before.isBefore(now)) {
                // All must know of a clock that was set back, or time would stand still until it has caught up.
                current.compareAndSet(before, before.goingOnFrom(now))
                continue
            }
            val after = before.tryTake(now, isAwaited) ?: return false
            if (after === before) return true
            if (!current.compareAndSet(before, after)) continue
            if (!after.enabled) tellWatcher()
            return true
        }
    }

    /** How long from [now] until a permit is there with [ahead] callers served first, as [SendRateState.waitNanos] says. */
    @ShellApi
    public open fun waitNanos(now: Long, ahead: Int): Long = state.waitNanos(now, ahead)

    /** Gives back a permit that was taken and never used. */
    public open fun putBack() {
        current.updateAndGet { it.putBack(isAwaited) }
        tellWatcher()
    }

    /** As the other [record]; an answer that is not [throttled] is [RateOutcome.ACCEPTED]. */
    public fun record(throttled: Boolean, sentAt: Long, now: Long): Unit =
        record(if (throttled) RateOutcome.THROTTLED else RateOutcome.ACCEPTED, sentAt, now)

    /** Records an answer, as [SendRateState.record] does, and tells the watcher if the rate has changed. */
    public open fun record(outcome: RateOutcome, sentAt: Long, now: Long) {
        while (true) {
            val before = current.get()
            val after = before.record(outcome, sentAt, now, isAwaited)
            if (!current.compareAndSet(before, after)) continue
            if (after.sendRate != before.sendRate || after.enabled != before.enabled) tellWatcher()
            return
        }
    }

    /** Records what the server said about its rate limit, as [SendRateState.hint] does, and tells the watcher. */
    public open fun hint(hint: RateHint, now: Long) {
        while (true) {
            val before = current.get()
            val after = before.hint(hint, now)
            if (after === before) return
            if (!current.compareAndSet(before, after)) continue
            tellWatcher()
            return
        }
    }

    /** Continues under other [settings] and keeps the measurements. */
    public fun update(settings: SendRateSettings) {
        current.updateAndGet { it.with(settings) }
        tellWatcher()
    }

    /** A separate rate that continues from [now] under other [settings] with this one's measurements. */
    @ShellApi
    public fun with(settings: SendRateSettings, now: Long): SendRate =
        SendRate(settings, now).also { it.current.set(state.with(settings)) }

    /**
     * The watcher of this rate, called on every change: the present one, or [made] if there is none yet. A rate has one
     * watcher, the line of its waiting callers, even if several retriers share it.
     */
    @ShellApi
    public fun watcherOr(made: RateWatcher): RateWatcher =
        if (watcher.compareAndSet(null, made)) made else watcher.get()

    override fun toString(): String = "SendRate($state)"

    /** Whether a caller waits for a permit. */
    @ShellApi
    protected val isAwaited: Boolean get() = watcher.get()?.isWaiting == true

    /** Wakes whoever waits for a permit: the rate may have changed. */
    protected fun tellWatcher() {
        watcher.get()?.rateChanged()
    }
}

/** Watches a [SendRate] for those who wait for its permits: is told when it changes, so that they can compute anew. */
@ShellApi
public interface RateWatcher {
    /**
     * Whether a caller is waiting because it found no permit. While this is true, permits that come due are kept for the
     * waiting callers even if they wake up late, up to a limit.
     */
    public val isWaiting: Boolean

    /**
     * The rate may have changed. Called on the thread that changed it: must be quick, and must neither wait nor
     * throw.
     */
    public fun rateChanged()
}
