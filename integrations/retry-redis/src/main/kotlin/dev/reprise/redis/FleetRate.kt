package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.AtomicReference

/**
 * One client's part of the shared send rate; `docs/research/adaptive.md` has the protocol.
 *
 * ```
 *              a throttle                       reply in time
 *  at rest ──────────────────> shared: slots  <──────────────── alone: in its turns
 *          <──────────────────                ────────────────>
 *   no throttle for long        no reply in time
 * ```
 *
 * At rest it takes no part. Alone it uses its [TurnsAlone], if it had any lately. Lock-free; no method waits.
 *
 * A slot that comes when no caller waits was asked for by a call that was refused. Then the client [keeps] its last slot for the
 * next call, and asks for another when that is taken, as a bucket keeps a token and fills again.
 */
internal class FleetRate(
    name: String,
    /** Made with the first command, as [RedisQuota]'s. */
    private val client: Lazy<String>,
    private val settings: FleetSettings,
    private val least: Double,
    private val environment: Environment,
    connection: FleetConnection,
    /** The answers a second that this client gets. */
    private val measured: () -> Double,
    /** Whether callers wait for a slot. */
    private val isAwaited: () -> Boolean,
    /** Called when callers that wait should look again. */
    private val changed: () -> Unit,
) {
    private val keys = arrayOf(settings.key(name, "rate"), settings.key(name, "senders"))
    private val commands = Commands(name, settings, environment, connection)
    private val leases = AtomicReference<List<Slots>>(emptyList())
    private val unused = UnusedSlots(environment.clock.nanoTime())
    private val joins = AtomicInteger()
    private val unserved = AtomicInteger()

    /** The calls since the last command: those that took a slot, and those that were refused one. */
    private val called = AtomicInteger()
    private val plannedFor = AtomicLong(Long.MAX_VALUE)
    private val lifetimeNanos = settings.lifetime.inWholeNanoseconds

    @Volatile
    private var counts = Counts("", environment.clock.nanoTime())

    @Volatile
    private var last: RateReply? = null

    @Volatile
    private var line: Line? = null

    @Volatile
    private var turns: TurnsAlone? = null

    /** Whether the last slots found no caller waiting. */
    @Volatile
    private var keeps = false

    @Volatile
    private var heardAt = environment.clock.nanoTime()

    @Volatile
    private var sentAt = environment.clock.nanoTime() - RateTimes.SPACING

    @Volatile
    private var againAt = environment.clock.nanoTime()

    @Volatile
    private var isMember = false

    @Volatile
    private var isClosed = false

    /** Whether permits are slots of the fleet's rate. */
    val isShared: Boolean get() = isMember && !isClosed && commands.isShared

    /** Whether permits come from here, slots or turns; otherwise the client's own rate is in force. */
    val isInForce: Boolean get() = isMember && !isClosed && (commands.isShared || isAlone)

    private val isAlone get() = turns != null && environment.clock.nanoTime() - heardAt < lifetimeNanos / 2

    /** The rate that is in force here, in attempts a second: the fleet's, or alone the client's part of it; or null. */
    val rate: Double? get() = if (isShared) last?.rate else turns?.rate?.takeIf { isInForce }

    /** Takes a slot if one is there [now]. */
    fun tryTake(now: Long): Boolean {
        while (true) {
            val before = leases.get()
            val live = before.usable(now)
            val head = live.firstOrNull()
            if (head == null || head.at(0) - now > 0) {
                if (unused.tryTake(now)) return true
                if (keeps && !isAwaited()) called.incrementAndGet()
                if (commands.isShared) wants(1, now) else looksOut(now)
                return !commands.isShared && head == null && turns?.tryTake(now) == true
            }
            if (!leases.compareAndSet(before, listOf(head.taken()) + live.drop(1))) continue
            val isLast = live.size == 1 && head.left == 1
            // A slot that was kept does not lapse because its own time is long past.
            unused.taken(if (keeps && isLast && now - head.at(0) > 0) now else head.at(0))
            unserved.updateAndGet { maxOf(0, it - 1) }
            called.incrementAndGet()
            if (keeps && commands.isShared && isLast) wants(1, now)
            return true
        }
    }

    /** A slot was taken and not used: the next caller may have it, until it lapses. */
    fun putBack() = unused.putBack()

    /** How long from [now] until there is a slot with [ahead] callers served first, as far as that is known. */
    fun waitNanos(now: Long, ahead: Int): Long {
        if (commands.isShared) wants(ahead + 1, now)
        var index = ahead
        for (lease in leases.get().usable(now)) {
            if (index < lease.left) return (lease.at(index) - now).coerceAtLeast(if (index == 0) 0 else 1)
            index -= lease.left
        }
        if (!commands.isShared) turns?.let { return it.waitNanos(now, index) }
        val reply = RateTimes.REPLY + if (commands.isUnderWay) 0 else maxOf(0, dueAt(now) - now)
        return (line?.waitNanos(now, reply, index) ?: reply).coerceAtMost(RateTimes.LONGEST)
    }

    /** An attempt that was sent at [sentAt] ended [now] with [outcome]. */
    fun record(outcome: RateOutcome, sentAt: Long, now: Long) {
        if (outcome == RateOutcome.FAILED) return
        val isThrottled = outcome == RateOutcome.THROTTLED
        if (!isMember) {
            if (!isThrottled) return
            joins.incrementAndGet()
            isMember = true
        } else {
            val current = counts
            if (sentAt - current.since >= 0 && current.generation.isNotEmpty()) current.count(isThrottled)
        }
        if (!commands.isShared) turns?.answered(isThrottled)
        if (isThrottled || !commands.isShared) plan(now)
    }

    /** A call asks for a permit of the client's own rate: time to see whether the fleet's is there again. */
    fun looksOut(now: Long) {
        if (isMember && !commands.isShared && !commands.isUnderWay) plan(now)
    }

    /** Sends nothing more, and is in force no more. */
    fun close() {
        isClosed = true
        changed()
    }

    private fun wants(callers: Int, now: Long) {
        unserved.updateAndGet { maxOf(it, callers) }
        plan(now)
    }

    private fun held(now: Long): Int = leases.get().usable(now).sumOf { it.left }

    /** The leases with slots that may still be taken: those that are not lapsed, or the last one if that is kept. */
    private fun List<Slots>.usable(now: Long): List<Slots> {
        val live = map { it.live(now) }.filter { it.left > 0 }
        return if (live.isEmpty() && keeps) listOfNotNull(lastOrNull()?.lastOnly()).filter { it.left > 0 } else live
    }

    /** Sends a command if there is something to ask or to tell and it is time, or plans it. */
    private fun plan(now: Long) {
        if (isClosed || commands.isUnderWay) return
        val wanted = unserved.get() - held(now)
        val tells = hasNews()
        if (wanted <= 0 && !tells && commands.isShared) return
        val due = if (tells) sentAt + RateTimes.SPACING else dueAt(now)
        if (due - now <= 0) {
            if (commands.begins()) send(maxOf(0, wanted), now)
            return
        }
        val planned = plannedFor.get()
        if (planned <= due || !plannedFor.compareAndSet(planned, due)) return
        environment.after(due - now) {
            plannedFor.compareAndSet(due, Long.MAX_VALUE)
            plan(environment.clock.nanoTime())
        }
    }

    /** When the next lease is due: shortly before the last slot, and not before the server said. */
    private fun dueAt(now: Long): Long {
        val end = leases.get().usable(now).lastOrNull()?.last ?: now
        return maxOf(sentAt + RateTimes.SPACING, end - RateTimes.LEAD, againAt)
    }

    private fun send(wanted: Int, now: Long) {
        val current = counts
        val told = current.take()
        val joined = joins.getAndSet(0)
        val known = last?.takeIf { now - heardAt < lifetimeNanos / 2 }?.rate ?: 0.0
        val ahead = called.getAndSet(0).toLong() * RateTimes.AHEAD / maxOf(RateTimes.AHEAD, now - sentAt)
        sentAt = now
        val args = listOf(
            client.value,
            if (wanted > 0) wanted + ahead else 0,
            current.generation,
            told.first,
            told.second,
            joined,
            maxOf(measured(), RateTimes.LEAST_MEASURED),
            known,
            settings.lifetime.inWholeMilliseconds,
            least,
            settings.horizon.inWholeMicroseconds,
            RateTimes.QUIET_MICROS,
        )
        commands.run(keys, args, then = ::goOn) { reply ->
            if (reply == null) {
                current.add(told)
                joins.addAndGet(joined)
            } else {
                heard(RateReply.of(reply), began = now, joined)
            }
        }
    }

    /** After a command: waiting calls look again, and the counts that came meanwhile are reported. */
    private fun goOn() {
        changed()
        if (hasNews()) plan(environment.clock.nanoTime())
    }

    private fun hasNews() = counts.hasThrottles || joins.get() > 0

    private fun heard(reply: RateReply, began: Long, joined: Int) {
        val now = environment.clock.nanoTime()
        heardAt = now
        if (reply.isOff) {
            isMember = joins.get() > 0 && joined == 0
            last = null
            line = null
            turns = null
            leases.set(emptyList())
            unserved.set(0)
            return
        }
        last = reply
        againAt = now + reply.againNanos
        // The server read its clock somewhere between question and reply.
        val first = began + (now - began) / 2 + reply.firstNanos
        line = Line.of(reply, first, now, before = line)
        if (reply.slots == 0) return
        keeps = !isAwaited()
        if (reply.generation != counts.generation) counts = Counts(reply.generation, first)
        val slots = Slots(first, reply.gapNanos, reply.slots, reply.generation)
        turns = TurnsAlone(slots, reply.clients, keeps)
        val before = leases.getAndUpdate { held -> held.map { it.live(now) }.filter { it.left > 0 } + slots }
        // A lapsed slot was not needed: the call that it was asked for has ended.
        val lapsed = before.sumOf { it.left - it.live(now).left }
        unserved.updateAndGet { maxOf(0, it - lapsed) }
    }
}
