package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota

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
    fun run(vararg outcomes: () -> Any?, options: CallOptions = CallOptions.DEFAULT): TestCall =
        play(begin(options), outcomes)

    /** [run], and how it ended; also if its first attempt was accepted. */
    fun outcome(vararg outcomes: () -> Any?): RetryOutcome<Any?> =
        play(TestCall(setup, asOutcome = true) { now += it }, outcomes).outcome()

    private fun play(call: TestCall, outcomes: Array<out () -> Any?>): TestCall {
        call.between()
        while (!call.isOver) {
            val attempt = call.begins()
            val outcome = outcomes[minOf(attempt.number, outcomes.size) - 1]
            call.ended(
                try {
                    outcome()
                } catch (e: Exception) {
                    e
                },
            )
            call.between()
        }
        return call
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
internal fun logging(logger: ListLogger, redact: Boolean = true) = LoggingListener(redact) { level, line ->
    if (System.Logger.Level.valueOf(level) >= logger.least) logger.lines += "$level ${line.get()}"
}

/** Keeps what is logged at [least] or above, as `LEVEL message`. */
internal class ListLogger(val least: System.Logger.Level = System.Logger.Level.TRACE) {
    val lines = mutableListOf<String>()
}
