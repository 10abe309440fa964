package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import java.util.PriorityQueue

/** Answers requests. */
internal fun interface Answering {
    /** Says in [reply] what becomes of a request of [operation] that arrives [now], in ns. */
    fun ask(now: Long, operation: Int, reply: Reply)
}

/**
 * The server of [model], new and idle. A request meets its parts in this order: failures, admission, the limit of
 * requests at once, the queue, the latency. A part that fails or refuses it answers at once, after the latency. The
 * fate of a request is known when it arrives.
 */
internal class Server(private val model: ServerModel, private val chance: Chance) : Answering {
    private val failures = model.failures
    private val admission = model.admission.map { it.open() }
    private val workers = model.queue?.let { Workers(it, spans(Failure.Kind.FREEZE), chance.split()) }
    private val inProgress = PriorityQueue<Long>()
    private val isCrowded = model.concurrency != null || model.doublesAt != null

    override fun ask(now: Long, operation: Int, reply: Reply) {
        if (isCrowded) inProgress.dropUpTo(now)
        when {
            strikes(Failure.Kind.STALL, now, operation) -> lost(now, reply)

            strikes(Failure.Kind.ERROR, now, operation) -> answer(now, operation, Answer.BROKEN, reply)

            admission.any { !it.admits(now) } -> answer(now, operation, model.throttled, reply)

            model.concurrency != null && inProgress.size >= model.concurrency ->
                answer(now, operation, model.throttled, reply)

            else -> work(now, operation, reply)
        }
    }

    private fun work(now: Long, operation: Int, reply: Reply) {
        val done = workers?.done(now) ?: now
        if (done == Workers.FULL) return answer(now, operation, model.busy, reply)
        answer(done, operation, Answer.OK, reply)
        if (done > now && isDown(Failure.Kind.STALL, done, operation)) return lost(now, reply)
        if (done > now && isDown(Failure.Kind.ERROR, done, operation)) reply.answer = Answer.BROKEN
        if (isCrowded) inProgress.add(reply.at)
    }

    /** A request that a stall swallows holds its place until the stall is over. */
    private fun lost(now: Long, reply: Reply) {
        if (isCrowded) {
            inProgress.add(
                failures.filter {
                    it.kind == Failure.Kind.STALL && it.end > now
                }.minOf { it.end },
            )
        }
        reply.at = Reply.NEVER
    }

    private fun answer(done: Long, operation: Int, answer: Answer, reply: Reply) {
        var takes = nanosOf(model.latency.draw(chance))
        if (model.doublesAt != null) takes += takes * inProgress.size / model.doublesAt
        for (failure in failures) {
            if (failure.kind != Failure.Kind.SLOW || !failure.hits(done, operation, chance)) continue
            takes = (takes * failure.factor).toLong()
        }
        reply.at = done + takes
        reply.answer = answer
    }

    private fun strikes(kind: Failure.Kind, now: Long, operation: Int): Boolean =
        failures.any { it.kind == kind && it.hits(now, operation, chance) }

    /** Whether a whole outage has the request that was in the queue when it began. */
    private fun isDown(kind: Failure.Kind, done: Long, operation: Int): Boolean =
        failures.any { it.kind == kind && it.share >= 1 && it.hits(done, operation, chance) }

    private fun spans(kind: Failure.Kind) = failures.filter { it.kind == kind }.map { it.span }
}
