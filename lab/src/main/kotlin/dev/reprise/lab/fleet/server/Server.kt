package dev.reprise.lab.fleet.server

import dev.reprise.lab.fleet.kernel.Chance
import dev.reprise.lab.fleet.kernel.LongHeap

/** What answers requests. */
internal fun interface Answering {
    /** Says in [reply] what becomes of a request of [operation] that arrives [now], in ns. */
    fun ask(now: Long, operation: Int, reply: Reply)
}

/**
 * A server of parts. A request meets them in this order: failures, admission, the limit of requests at once, the queue, the
 * latency; what fails or refuses it answers at once, after the latency. What happens to a request is known when it arrives.
 */
internal class Server(
    private val failures: List<Failure>,
    private val admission: List<Admission>,
    /** The most requests that are in progress at once. */
    private val concurrency: Int,
    private val workers: Workers?,
    private val latency: Latency,
    /** How many requests in progress double the latency; 0 for a latency that does not depend on them. */
    private val doublesAt: Int,
    /** What a request gets that is refused by [admission] or [concurrency]. */
    private val throttled: Answer,
    /** What a request gets that finds the queue full. */
    private val busy: Answer,
    private val chance: Chance,
) : Answering {
    private val inProgress = LongHeap()
    private val isCrowded = concurrency != ANY_NUMBER || doublesAt > 0

    override fun ask(now: Long, operation: Int, reply: Reply) {
        if (isCrowded) inProgress.dropUpTo(now)
        when {
            strikes(Failure.Kind.STALL, now, operation) -> lost(now, reply)
            strikes(Failure.Kind.ERROR, now, operation) -> answer(now, operation, Answer.BROKEN, reply)
            admission.any { !it.admits(now) } -> answer(now, operation, throttled, reply)
            inProgress.size >= concurrency -> answer(now, operation, throttled, reply)
            else -> work(now, operation, reply)
        }
    }

    private fun work(now: Long, operation: Int, reply: Reply) {
        val done = workers?.done(now) ?: now
        if (done == Workers.FULL) return answer(now, operation, busy, reply)
        answer(done, operation, Answer.OK, reply)
        if (done > now && isDown(Failure.Kind.STALL, done, operation)) return lost(now, reply)
        if (done > now && isDown(Failure.Kind.ERROR, done, operation)) reply.answer = Answer.BROKEN
        if (isCrowded) inProgress.add(reply.at)
    }

    /** A request that a stall swallows holds its place until the stall is over. */
    private fun lost(now: Long, reply: Reply) {
        if (isCrowded) {
            inProgress.add(failures.filter { it.kind == Failure.Kind.STALL && it.to > now }.minOf { it.to })
        }
        reply.at = Reply.NEVER
    }

    private fun answer(done: Long, operation: Int, answer: Answer, reply: Reply) {
        var takes = latency.draw(chance)
        if (doublesAt > 0) takes += takes * inProgress.size / doublesAt
        for (failure in failures) {
            if (failure.kind != Failure.Kind.SLOW || !failure.hits(done, operation, chance)) continue
            takes = (takes * failure.factor).toLong()
        }
        reply.at = done + takes
        reply.answer = answer
    }

    private fun strikes(kind: Failure.Kind, now: Long, operation: Int): Boolean {
        for (failure in failures) if (failure.kind == kind && failure.hits(now, operation, chance)) return true
        return false
    }

    /** Whether a whole outage has the request that was in the queue when it began. */
    private fun isDown(kind: Failure.Kind, done: Long, operation: Int): Boolean {
        for (failure in failures) {
            if (failure.kind == kind && failure.share >= 1 && failure.hits(done, operation, chance)) return true
        }
        return false
    }

    companion object {
        /** Stands for a concurrency without limit. */
        const val ANY_NUMBER = Int.MAX_VALUE
    }
}
