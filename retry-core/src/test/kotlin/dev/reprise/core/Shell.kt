package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.HedgeRace
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.OwnCall
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import java.util.ResourceBundle
import java.util.function.Supplier

/** A call that a test drives attempt by attempt; what comes between two attempts is done at once. */
internal class TestCall(
    setup: CallSetup,
    options: CallOptions = CallOptions.DEFAULT,
    kind: ResultKind = ResultKind.VALUE,
    private val wait: (Long) -> Unit = {},
) {
    private var call = setup.begin(options, kind)

    var isAccepted = false
        private set

    /** Why the call ended, or `null` while it goes on. */
    val reason: StopReason? get() = if (isAccepted) StopReason.SUCCESS else (call as? OwnCall)?.reason

    val isOver: Boolean get() = reason != null

    /** What the call wants to wait now. */
    val delayNanos: Long get() = if (!isAccepted && call.next == NextStep.WAIT) call.delayNanos else 0

    val delayMillis: Double get() = delayNanos / 1e6

    /** How many attempts have begun. */
    var attempts = 0
        private set

    /** Does what comes before the next attempt, and begins it. */
    fun begins(): Attempt {
        between()
        attempts++
        return call.attemptStarts()
    }

    /** The race of the attempt that has begun, if it may have a copy. */
    fun race(): HedgeRace? = call.race()

    /** The next attempt ends with [outcome]. */
    fun ends(outcome: Any?) {
        begins()
        ended(outcome)
    }

    /** The attempt that has begun ends with [outcome]. */
    fun ended(outcome: Any?) {
        if (outcome is Throwable) {
            call = call.failed(outcome, Thrown.meaningOf(outcome)).repeated()
            return
        }
        val next = call.completed(outcome)
        if (next == null) isAccepted = true else call = next
        call.repeated()
    }

    /** Something threw between two attempts. */
    fun broke(thrown: Throwable) {
        call = call.broke(thrown)
        between()
    }

    fun permitRefused() = call.permitRefused()

    fun permitted(waitNanos: Long) = call.permitted(waitNanos)

    val next: NextStep get() = call.next

    /** Does all that the call wants up to its next attempt or its end. */
    fun between() {
        while (call.next != NextStep.ATTEMPT && call.next != NextStep.DONE) one()
    }

    /** Does what the call wants next, which is no attempt. */
    fun one() = when (call.next) {
        NextStep.WAIT -> {
            wait(call.delayNanos)
            call.waited()
        }

        NextStep.PERMIT -> call.permitted(0)

        NextStep.DISCARD -> {
            call.rejected()
            call.discarded()
        }

        NextStep.REPEAT -> call.repeats(mayRepeat = true)

        NextStep.ATTEMPT, NextStep.DONE -> error("nothing comes between: ${call.next}")
    }

    fun result(): Any? = call.result()

    fun outcome(): RetryOutcome<Any?> = call.outcome()!!
}

/** A clock that only tests move, and what a shell needs besides. */
internal class Shell(
    val policy: RetryPolicy = RetryPolicy.STANDARD,
    listeners: List<RetryListener> = emptyList(),
    val quota: Quota? = policy.quota?.let { RetryQuota(it.capacity) },
) {
    var now = 0L
    val setup = CallSetup(policy, quota, null, listeners, { now }, { 1.0 })

    fun begin(options: CallOptions = CallOptions.DEFAULT) = TestCall(setup, options) { now += it }

    /** A call whose attempts end as [outcomes] say, the last of them again and again; ended. */
    fun run(vararg outcomes: () -> Any?): TestCall {
        val call = begin()
        while (!call.isOver) {
            val attempt = call.begins()
            val outcome = outcomes[minOf(attempt.number, outcomes.size) - 1]
            call.ended(
                try {
                    outcome()
                } catch (e: java.io.IOException) {
                    e
                },
            )
        }
        call.between()
        return call
    }

    /** [run], and how it ended; also if its first attempt was accepted. */
    fun outcome(vararg outcomes: () -> Any?): RetryOutcome<Any?> {
        val begun = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE, asOutcome = true)
        var call = begun
        var n = 0
        while (call.next != NextStep.DONE) {
            when (call.next) {
                NextStep.WAIT -> {
                    now += call.delayNanos
                    call.waited()
                }

                NextStep.REPEAT -> call.repeats(mayRepeat = true)

                else -> {
                    call.attemptStarts()
                    val outcome = outcomes[minOf(++n, outcomes.size) - 1]
                    call =
                        try {
                            call.completed(outcome())!!
                        } catch (e: java.io.IOException) {
                            call.failed(e, Thrown.FAILURE)
                        }
                }
            }
        }
        return call.outcome()!!
    }
}

/** Keeps what it hears. */
internal class Recorder : RetryListener {
    val events = mutableListOf<RetryEvent>()

    override fun onEvent(event: RetryEvent) {
        events += event
    }
}

/** A listener that logs to [logger]. */
internal fun logging(logger: System.Logger, redact: Boolean = true) = LoggingListener(redact) { level, line ->
    logger.log(System.Logger.Level.valueOf(level), line)
}

/** Keeps what is logged, as `LEVEL message`. */
internal class ListLogger(private val least: System.Logger.Level = System.Logger.Level.TRACE) : System.Logger {
    val lines = mutableListOf<String>()

    override fun getName() = "list"

    override fun isLoggable(level: System.Logger.Level) = level >= least

    override fun log(level: System.Logger.Level, msg: String?) {
        lines += "$level $msg"
    }

    override fun log(level: System.Logger.Level, msg: Supplier<String>) {
        if (isLoggable(level)) log(level, msg.get())
    }

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, msg: String?, thrown: Throwable?) =
        error("an event is one line, without a stack trace")

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, format: String?, vararg params: Any?) =
        error("an event is no format")
}

/** What the ended call gives its caller. */
internal fun RetryCall.result(): Any? = failure()?.let { throw it } ?: value()

/** This call, whose work may be repeated if that is asked. */
internal fun RetryCall.repeated(): RetryCall {
    if (next == NextStep.REPEAT) repeats(mayRepeat = true)
    return this
}
