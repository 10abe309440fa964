package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import java.util.PriorityQueue

internal fun interface Answering {
    /** What becomes of a request of [operation] that arrives [now], in ns. */
    fun ask(now: Long, operation: Int): Reply
}

/**
 * The server of [model], new and idle. A request meets its parts in this order: failures, admission, the limit of
 * requests at once, the queue, the latency. A part that fails or refuses it answers at once, after the latency. The
 * fate of a request is known when it arrives.
 */
internal class Server(private val model: ServerModel, private val chance: Chance) : Answering {
    private val failures = model.failures
    private val admission = model.admission.map { it.open() }
    private val workers = model.queue?.let { Workers(it, frozen(), chance.split()) }
    private val inProgress = PriorityQueue<Long>()
    private val isCrowded = model.concurrency != null || model.doublesAt != null

    override fun ask(now: Long, operation: Int): Reply {
        if (isCrowded) inProgress.dropUpTo(now)
        return when {
            strikes(Failure.Kind.STALL, now, operation) -> lost(now)
            strikes(Failure.Kind.ERROR, now, operation) -> answer(now, operation, Answer.BROKEN)
            admission.any { !it.admits(now) } || isFull() -> answer(now, operation, model.throttled)
            else -> work(now, operation)
        }
    }

    private fun isFull() = model.concurrency != null && inProgress.size >= model.concurrency

    private fun work(now: Long, operation: Int): Reply {
        val done = workers?.done(now) ?: now
        if (done == Workers.FULL) return answer(now, operation, model.busy)
        val reply = answer(done, operation, Answer.OK)
        if (done > now && isDown(Failure.Kind.STALL, done, operation)) return lost(now)
        if (isCrowded) inProgress.add(reply.at)
        return if (done > now && isDown(Failure.Kind.ERROR, done, operation)) Reply(reply.at, Answer.BROKEN) else reply
    }

    /** A request that a stall swallows holds its place until the stall is over. */
    private fun lost(now: Long): Reply {
        val ends = failures.filter { it.kind == Failure.Kind.STALL && it.end > now }.map { it.end }
        if (isCrowded) inProgress.add(ends.min())
        return Reply.LOST
    }

    private fun answer(done: Long, operation: Int, answer: Answer): Reply {
        var takes = nanosOf(model.latency.draw(chance))
        if (model.doublesAt != null) takes += takes * inProgress.size / model.doublesAt
        for (failure in failures) {
            if (failure.kind != Failure.Kind.SLOW || !failure.hits(done, operation, chance)) continue
            takes = (takes * failure.factor).toLong()
        }
        return Reply(done + takes, answer)
    }

    private fun strikes(kind: Failure.Kind, now: Long, operation: Int): Boolean =
        failures.any { it.kind == kind && it.hits(now, operation, chance) }

    /** Whether a whole outage has the request that was in the queue when it began. */
    private fun isDown(kind: Failure.Kind, done: Long, operation: Int): Boolean =
        failures.any { it.kind == kind && it.share >= 1 && it.hits(done, operation, chance) }

    private fun frozen() = failures.filter { it.kind == Failure.Kind.FREEZE }.map { it.begin until it.end }
}
