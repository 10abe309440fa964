package dev.reprise.lab.fleet

import dev.reprise.core.StopReason
import dev.reprise.virtualtime.Event

/**
 * One call in flight. It always waits for one thing, which is the event that it is:
 *
 * ```
 * PERMIT    for its turn in the client's line, or for the end of its patience
 * ANSWER    for the server, or for the attempt's time limit
 * BACKOFF   until the next attempt
 * ```
 */
internal class Call(
    private val shared: Shared,
    private val client: Client,
    private val operation: Int,
    private val then: Caller?,
) : Event() {
    private enum class Waits { PERMIT, ANSWER, BACKOFF }

    private val begunAt = shared.queue.now
    private val progress = client.engine.begin(begunAt, operation)
    private var sentAt = 0L
    private var waits = Waits.ANSWER
    private var answer = Answer.OK

    /** Its turn in the line has come. */
    fun permitted() {
        shared.queue.cancel(this)
        attempt()
    }

    override fun happen() = when (waits) {
        Waits.ANSWER -> answered()

        Waits.BACKOFF -> goOn()

        Waits.PERMIT -> {
            client.permits!!.leave(this)
            refused()
        }
    }

    /** Makes its next attempt, the first one too, or ends. */
    fun goOn() {
        val permits = client.permits
        when {
            progress.reason != null -> end()
            permits == null || permits.tryTake() -> attempt()
            else -> waitForPermit(permits)
        }
    }

    private fun waitForPermit(permits: Permits) {
        val until = permits.join(this, client.engine.timeLeft(progress, shared.queue.now))
        if (until == Permits.REFUSED) return refused()
        waits = Waits.PERMIT
        if (until != Long.MAX_VALUE) shared.queue.schedule(this, until)
    }

    private fun refused() {
        client.engine.permitRefused(progress, shared.queue.now)
        end()
    }

    private fun attempt() {
        val now = shared.queue.now
        sentAt = now
        val limit = client.engine.limit(progress, now)
        val reply = shared.server.ask(now, operation)
        shared.tally.attempted(now, progress.state.attempt, reply.answer.isRefused)
        waits = Waits.ANSWER
        val isInTime = reply.at != Reply.NEVER && reply.at - now <= limit
        answer = if (isInTime) reply.answer else Answer.TIMED_OUT
        // A call without any limit that a server loses stays in flight for ever, and counts as unfinished.
        if (isInTime) {
            shared.queue.schedule(this, reply.at)
        } else if (limit < Long.MAX_VALUE - now) {
            shared.queue.schedule(this, now + limit)
        }
    }

    private fun answered() {
        val now = shared.queue.now
        client.engine.answered(progress, answer, sentAt, now)
        val delay = progress.state.delayNanos
        if (progress.reason == null && delay > 0) {
            waits = Waits.BACKOFF
            shared.queue.schedule(this, now + delay)
        } else {
            goOn()
        }
    }

    private fun end() {
        val isGood = progress.reason == StopReason.SUCCESS
        shared.tally.ended(begunAt, shared.queue.now, client.number, operation, isGood)
        client.callEnded()
        then?.ended(tookTime = shared.queue.now > begunAt)
    }
}
