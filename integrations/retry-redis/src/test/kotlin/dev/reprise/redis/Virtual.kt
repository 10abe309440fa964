package dev.reprise.redis

import dev.reprise.core.NanoClock
import dev.reprise.virtualtime.EventQueue
import io.lettuce.core.RedisNoScriptException
import io.lettuce.core.ScriptOutputType
import io.lettuce.core.api.sync.RedisCommands
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import kotlin.random.Random

/** Virtual time in ns, with a seeded source of chance. */
internal class Agenda(seed: Int) {
    private val queue = EventQueue()
    private var turns = 0
    val random = Random(seed)

    val now: Long get() = queue.now

    fun plan(at: Long, task: () -> Unit) {
        queue.schedule(at, task)
    }

    fun runUntil(end: Long) {
        while (queue.nextAt <= end) {
            turns = if (queue.nextAt == now) turns + 1 else 0
            check(turns < STUCK) { "time stands still" }
            queue.runNext()
        }
        queue.runUntil(end)
    }

    /** Stops at the first moment at which [isSo]; a minute without one is a failure. */
    fun runUntil(isSo: () -> Boolean) {
        val end = now + MINUTE
        while (!isSo()) {
            check(queue.nextAt <= end) { "it did not come about within a minute" }
            runUntil(queue.nextAt)
        }
    }

    private companion object {
        const val STUCK = 100_000
        const val MINUTE = 60_000_000_000L
    }

    /** The environment of one client, whose clock began at [origin] and runs at [pace]. */
    fun environment(origin: Long = 0, pace: Double = 1.0) = Environment(
        NanoClock { origin + (now * pace).toLong() },
        { random.nextDouble() },
        { nanos, task -> plan(now + (nanos / pace).toLong() + 1) { task.run() } },
    )
}

/**
 * The connection of a simulated client to a real server: scripts run there, at the virtual time. [fate] says what becomes of a
 * command: it is done, and its reply comes; or it is done late, or done and its reply lost.
 */
internal class VirtualConnection(
    private val agenda: Agenda,
    private val redis: RedisCommands<String, String>,
    private val script: Script,
    private val roundTrip: Long = 1_000_000,
    /** Until when the server stands still; then it does all that was sent to it. */
    private val stoppedUntil: () -> Long = { 0 },
    private val fate: () -> Fate = { Fate.DONE },
) : FleetConnection {
    enum class Fate { DONE, NEVER, REPLY_LOST, LATE }

    var commands = 0
        private set

    /** How many slots were handed out. */
    var slots = 0
        private set

    var isClosed = false
        private set

    override fun run(keys: Array<String>, args: Array<String>): CompletionStage<List<String>> {
        check(!isClosed) { "the connection is closed" }
        commands++
        val result = CompletableFuture<List<String>>()
        val fate = fate()
        if (fate == Fate.NEVER) return result
        val delay = if (fate == Fate.LATE) agenda.random.nextLong(5_000_000_000) else roundTrip / 2
        agenda.plan(maxOf(agenda.now + delay, stoppedUntil())) {
            val reply = execute(keys, args)
            if (script === Script.RATE) slots += reply[1].toInt()
            if (fate == Fate.DONE) agenda.plan(agenda.now + roundTrip / 2) { result.complete(reply) }
        }
        return result
    }

    private fun execute(keys: Array<String>, args: Array<String>): List<String> {
        val timed = virtual.getOrPut(script) { Script(script.text.replace(TIME, "{ARGV[#ARGV - 1], ARGV[#ARGV]}")) }
        val micros = EPOCH + shift + agenda.now / 1_000
        val all = args + arrayOf("${micros / 1_000_000}", "${micros % 1_000_000}")
        return try {
            redis.evalsha(timed.sha, ScriptOutputType.MULTI, keys, *all)
        } catch (_: RedisNoScriptException) {
            redis.eval(timed.text, ScriptOutputType.MULTI, keys, *all)
        }
    }

    override fun close() {
        isClosed = true
    }

    companion object {
        /** How far the server's clock was set off, in us. */
        var shift = 0L

        private const val TIME = "redis.call('TIME')"
        private const val EPOCH = 1_790_000_000_000_000L
        private val virtual = HashMap<Script, Script>()
    }
}
