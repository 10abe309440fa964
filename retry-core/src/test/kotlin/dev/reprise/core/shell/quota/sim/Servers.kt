package dev.reprise.core.shell.quota.sim

/** A simulated server: takes a request and replies, or never does. */
internal fun interface Server {
    fun ask(operation: Int, reply: (Boolean) -> Unit)
}

private const val LATENCY = 0.02

/** Fails each request of an operation with the probability that [failing] says for it. */
internal class FlakyServer(private val loop: EventLoop, private val failing: (operation: Int) -> Double) : Server {
    override fun ask(operation: Int, reply: (Boolean) -> Unit) {
        val isGood = loop.random.nextDouble() >= failing(operation)
        loop.after(LATENCY) { reply(isGood) }
    }
}

/** What becomes of requests while a [QueueServer] stalls. */
internal enum class Stall { LOST, QUEUED }

/**
 * Serves [perSecond] requests one after the other, queues [most], fails the others at once, and does not know who has lost
 * patience. Between [from] and [to] it does no work, and loses requests or queues them.
 */
internal class QueueServer(
    private val loop: EventLoop,
    private val perSecond: Double,
    private val stall: Stall,
    private val from: Double,
    private val to: Double,
    private val most: Int = 3_000,
) : Server {
    private var freeAt = 0.0
    private var waiting = 0

    override fun ask(operation: Int, reply: (Boolean) -> Unit) {
        val now = loop.seconds
        val isStalled = now >= from && now < to
        if (isStalled && stall == Stall.LOST) return
        if (waiting >= most) return loop.after(LATENCY) { reply(false) }
        val begins = maxOf(now, freeAt, if (isStalled) to else 0.0)
        freeAt = begins + 1 / perSecond
        waiting++
        loop.after(freeAt - now) {
            waiting--
            loop.after(LATENCY) { reply(true) }
        }
    }
}
