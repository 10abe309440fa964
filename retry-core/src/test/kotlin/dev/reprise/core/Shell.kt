package dev.reprise.core

import dev.reprise.core.quota.RetryQuota
import java.util.ResourceBundle

/** A clock that only tests move, and what a shell needs besides. */
internal class Shell(
    val policy: RetryPolicy = RetryPolicy.STANDARD,
    listeners: List<RetryListener> = emptyList(),
    val quota: RetryQuota? = policy.quota?.let { RetryQuota(it.capacity) },
) {
    var now = 0L
    val setup = CallSetup(policy, quota, null, listeners, { now }, { 1.0 })

    /** A call whose attempts end as [outcomes] say, again from the last one's start if there are too few; ended. */
    fun run(vararg outcomes: () -> Any?): RetryCall {
        val call = RetryCall(setup)
        if (!setup.isPlain) call.begin()
        while (!call.isOver) {
            now += call.delayNanos
            if (!setup.isPlain || call.delayNanos > 0) call.attemptStarts()
            val outcome = outcomes[minOf(call.attempts, outcomes.size) - 1]
            try {
                call.completed(outcome())
            } catch (e: java.io.IOException) {
                call.failed(e)
            }
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

/** Keeps what is logged, as `LEVEL message`. */
internal class ListLogger(private val least: System.Logger.Level = System.Logger.Level.TRACE) : System.Logger {
    val lines = mutableListOf<String>()

    override fun getName() = "list"

    override fun isLoggable(level: System.Logger.Level) = level >= least

    override fun log(level: System.Logger.Level, msg: String?) {
        lines += "$level $msg"
    }

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, msg: String?, thrown: Throwable?) =
        error("an event is one line, without a stack trace")

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, format: String?, vararg params: Any?) =
        error("an event is no format")
}
