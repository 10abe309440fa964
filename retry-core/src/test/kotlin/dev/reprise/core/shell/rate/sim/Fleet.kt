package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.RateWatcher
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.virtualtime.Chance
import dev.reprise.virtualtime.Event
import dev.reprise.virtualtime.EventQueue
import dev.reprise.virtualtime.RateCondition
import kotlin.math.exp
import kotlin.math.ln
import kotlin.math.min

/**
 * Runs one [condition] in virtual time, driving [SendRate] directly: no coroutines, no executor. The same seed
 * gives the same history.
 *
 * A call has up to three attempts, full-jitter backoff (throttled: 1 s, 2 s; failed: 50 ms, 100 ms) and the retry
 * quota of standard mode 2.1. Permits are given first come, first served.
 */
internal class Fleet(private val condition: Condition, settings: SendRateSettings, seed: Long) {
    private val random = Chance(seed)
    private val events = EventQueue()
    private val server = condition.server.make(condition.latency)
    private val clients = List(condition.clients) { Client(it, condition.other(it), settings) }
    private val callers = List(condition.callers) { Caller(clients[it % clients.size]) }
    private val now get() = events.now
    private val seconds get() = now / 1e9
    private val counts get() = seconds >= condition.countedFrom

    var admitted = 0
    var throttled = 0
    var asked = 0

    // How many attempts waited so long for a permit: each bin is longer than the one before by a fiftieth.
    private val waited = IntArray(BINS)

    /** How many attempts had to wait for a permit. */
    val waits get() = waited.sum() - waited[0]

    /** The wait for a permit, in seconds, that no more than one attempt in a hundred exceeds; to two hundredths. */
    val longWait: Double get() {
        var more = waited.sum() / 100
        val bin = (BINS - 1 downTo 0).first {
            more -= waited[it]
            more < 0
        }
        return if (bin == 0) 0.0 else LEAST_WAIT * exp(bin * WIDTH)
    }

    val samples = ArrayList<RateCondition.Sample>()

    private inner class Client(val number: Int, val other: Condition.Other, settings: SendRateSettings) {
        var rate: SendRate? = null
        val isLimited = other != Condition.Other.UNLIMITED
        val mySettings = other.settings ?: settings
        val line = ArrayDeque<Caller>()
        var wakeAt = Long.MAX_VALUE
        var quota = QUOTA

        fun wants(caller: Caller) {
            if (line.isEmpty() && take()) return caller.send()
            line.addLast(caller)
            if (line.size == 1) sleep()
        }

        /** The head of the line computes its wait anew. */
        fun wake() {
            if (condition.late == 0.0) {
                serve()
            } else if (line.isNotEmpty()) {
                planWake(now)
            }
        }

        private fun woken() {
            if (wakeAt <= now) wakeAt = Long.MAX_VALUE
            serve()
        }

        private fun serve() {
            while (line.isNotEmpty()) {
                if (!take()) return sleep()
                line.removeFirst().send()
            }
        }

        private fun sleep() = planWake(now + rate!!.waitNanos(now, ahead = 0))

        private fun planWake(time: Long) {
            val at = if (condition.late == 0.0) time else time + (condition.late * random.uniform() * 1e9).toLong()
            if (at < wakeAt || wakeAt <= now) {
                wakeAt = at
                events.schedule(at, ::woken)
            }
        }

        private fun take(): Boolean {
            if (!isLimited) return true
            val mine = rate ?: SendRate(mySettings, now).also { rate = watched(it) }
            return mine.tryTake(now)
        }

        private fun watched(rate: SendRate) = rate.also {
            it.watcherOr(
                object : RateWatcher {
                    override val isWaiting get() = line.isNotEmpty()

                    override fun rateChanged() = Unit
                },
            )
        }
    }

    private inner class Caller(val client: Client) : Event() {
        var attempts = 0
        var sentAt = 0L
        var cameAt = 0L
        var answer = OK
        var paid = 0
        var served = 0
        var isStarted = false

        fun beginsCall() {
            attempts = 0
            paid = 0
            wants()
        }

        fun wants() {
            cameAt = now
            client.wants(this)
        }

        fun send() {
            attempts++
            asked++
            sentAt = now
            if (counts) waited[binOf((now - cameAt) / 1e9)]++
            var latency = condition.latency.draw(random)
            answer = when (condition.answers(seconds)) {
                Condition.Answers.BROKEN -> BROKEN

                Condition.Answers.THROTTLES -> THROTTLED

                Condition.Answers.USUAL ->
                    if (server.admits(seconds, condition.capacity(seconds))) {
                        latency += server.queued(seconds)
                        OK
                    } else {
                        THROTTLED
                    }
            }
            if (counts) if (answer == OK) {
                admitted++
            } else if (answer == THROTTLED) {
                throttled++
            }
            events.schedule(this, now + (latency * 1e9).toLong())
        }

        override fun happen() {
            if (isStarted && answer != NO_ANSWER) {
                answered()
            } else if (attempts == 0) {
                start()
            } else {
                wants()
            }
        }

        private fun start() {
            isStarted = true
            beginsCall()
        }

        private fun answered() {
            if (client.isLimited) client.rate!!.record(VERDICTS[answer], sentAt, now)
            val got = answer
            if (got == OK) {
                server.done()
                client.quota = min(QUOTA, client.quota + paid)
                if (counts) served++
                servedInSample++
                val think = if (condition.together > 0) untilNext() else condition.think * 2 * random.uniform()
                if (think > 0) pause(think, fresh = true) else beginsCall()
            } else {
                val cost = if (got == THROTTLED) 5 else 14
                val base = (if (got == THROTTLED) 1.0 else 0.025) * (1 shl (attempts - 1))
                if (attempts < 3 && client.quota >= cost) {
                    client.quota -= cost
                    paid = cost
                    pause(random.uniform() * base, fresh = false)
                } else {
                    beginsCall()
                }
            }
            client.wake()
        }

        private fun binOf(wait: Double) =
            if (wait <= LEAST_WAIT) 0 else (ln(wait / LEAST_WAIT) / WIDTH).toInt().coerceIn(1, BINS - 1)

        private fun untilNext() = condition.together - seconds % condition.together

        private fun pause(seconds: Double, fresh: Boolean) {
            if (fresh) attempts = 0
            answer = NO_ANSWER
            events.schedule(this, now + (seconds * 1e9).toLong())
        }
    }

    private var servedInSample = 0

    fun run(): Fleet {
        callers.forEachIndexed { number, caller ->
            // Callers of one client start together, clients within a second.
            val client = caller.client.number
            val start = condition.startsAt(client) + condition.begins(number)
            events.schedule(caller, (start * 1e9).toLong() + offsets[client])
        }
        var sampleAt = SAMPLE
        var askedBefore = 0
        val end = (condition.seconds * 1e9).toLong()
        while (true) {
            val at = events.nextAt
            while (sampleAt <= at && sampleAt <= end) {
                samples += RateCondition.Sample(sampleAt / 1e9, permitted(), asked - askedBefore, servedInSample)
                askedBefore = asked
                servedInSample = 0
                sampleAt += SAMPLE
            }
            if (at >= end) return this
            events.runNext()
        }
    }

    private val offsets = LongArray(condition.clients) { if (it == 0) 0 else random.below(1_000_000_000L) }

    private fun permitted() = clients.sumOf { it.rate?.sendRate ?: 0.0 }

    val success get() = callers.sumOf { it.served } / condition.servable
    val throttledShare get() = throttled.toDouble() / maxOf(1, throttled + admitted)
    val worstCaller get() = callers.minOf { it.served } / callers.map { it.served }.average().coerceAtLeast(1e-9)
    val byClient get() = clients.map { client -> callers.filter { it.client === client }.sumOf { it.served } }
    val worstClient get() = byClient.min() / byClient.average().coerceAtLeast(1e-9)
    val rates get() = clients.map { it.rate?.state?.sendRate ?: 0.0 }

    val settling get() = condition.settling(samples)

    /** The attempts served a second [from] one time [to] another. */
    fun served(from: Double, to: Double): Double =
        samples.filter { it.at > from && it.at <= to }.sumOf { it.served } / (to - from)

    private companion object {
        const val QUOTA = 500
        const val BINS = 1200
        const val WIDTH = 0.02
        const val LEAST_WAIT = 1e-6
        const val SAMPLE = 500_000_000L
        const val OK = 0
        const val THROTTLED = 1
        const val BROKEN = 2
        const val NO_ANSWER = 3
        val VERDICTS = listOf(RateOutcome.ACCEPTED, RateOutcome.THROTTLED, RateOutcome.FAILED)
    }
}
