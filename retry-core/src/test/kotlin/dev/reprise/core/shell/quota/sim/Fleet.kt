package dev.reprise.core.shell.quota.sim

import dev.reprise.core.FailureKind
import dev.reprise.core.QuotaSettings
import dev.reprise.core.shell.quota.newQuota

/** What happened to the calls that began in one second. */
internal class Second {
    var calls = 0
    var attempts = 0
    var good = 0
}

/**
 * [size] clients, each with a quota of its own of [settings] (or none), that call [server] at random moments; a call has
 * [most] attempts, AWS's full jitter, and a time limit for each attempt.
 */
internal class Fleet(
    private val loop: EventLoop,
    private val server: Server,
    private val size: Int,
    private val perSecond: Double,
    private val settings: QuotaSettings?,
    private val most: Int = 3,
    private val timeout: Double? = null,
    private val operations: Int = 0,
    /** What a failure is, and so what a retry costs and how long it waits. */
    private val kind: FailureKind = FailureKind.TRANSIENT,
) {
    /** By the second in which the attempt began, but [Second.good] by the second in which the call began. */
    val seconds = ArrayList<Second>()

    /** Calls and good calls of each operation. */
    val calls = IntArray(maxOf(1, operations))
    val good = IntArray(maxOf(1, operations))

    fun start() = repeat(size) {
        val quota = settings?.newQuota(loop)
        loop.poisson(perSecond) {
            val operation = if (operations == 0) 0 else loop.random.nextInt(operations)
            calls[operation]++
            now().calls++
            Call(quota, operation, now()).attempt()
        }
    }

    private fun now(): Second {
        val second = loop.seconds.toInt()
        while (seconds.size <= second) seconds += Second()
        return seconds[second]
    }

    private inner class Call(
        private val quota: dev.reprise.core.shell.quota.Quota?,
        private val operation: Int,
        private val began: Second,
    ) {
        private val name = if (operations == 0) null else "op$operation"
        private var attempts = 0
        private var lastCost = 0

        fun attempt() {
            val number = ++attempts
            now().attempts++
            var isOpen = true
            server.ask(operation) { isGood ->
                if (isOpen) {
                    isOpen = false
                    if (isGood) succeeded() else failed(kind)
                }
            }
            if (timeout != null) {
                loop.after(timeout) {
                    if (isOpen && number == attempts) {
                        isOpen = false
                        failed(FailureKind.TIMEOUT)
                    }
                }
            }
        }

        private fun succeeded() {
            began.good++
            good[operation]++
            if (settings != null) quota!!.succeeded(if (lastCost > 0) lastCost else settings.firstTryRefund, name)
        }

        private fun failed(kind: FailureKind) {
            if (attempts == most) return
            if (settings != null) {
                val cost = settings.costOf(kind)
                if (!quota!!.tryTake(cost, name)) return
                lastCost = cost
            }
            val base = if (kind == FailureKind.THROTTLING) 1.0 else 0.05
            val ceiling = minOf(20.0, base * (1 shl (attempts - 1)))
            loop.after(ceiling * loop.random.nextDouble()) { attempt() }
        }
    }
}

/** Attempts for each call that began from second [from] to second [to]. */
internal fun List<Second>.amplification(from: Int, to: Int): Double =
    subList(from, to).run { sumOf { it.attempts }.toDouble() / sumOf { it.calls } }

/** The share of calls that began from second [from] to second [to] and ended well. */
internal fun List<Second>.success(from: Int, to: Int): Double =
    subList(from, to).run { sumOf { it.good }.toDouble() / sumOf { it.calls } }

/** Seconds from [end] until 95 of 100 calls end well in every five seconds that follow up to [until], or `null`. */
internal fun List<Second>.recovery(end: Int, until: Int): Int? {
    val lastBad = (end..until - 5).lastOrNull { success(it, it + 5) < 0.95 } ?: return 0
    return if (lastBad >= until - 10) null else lastBad + 1 - end
}
