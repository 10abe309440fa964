package dev.reprise.redis

import dev.reprise.core.shell.time.SECOND
import java.util.concurrent.CompletionException
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicBoolean

/**
 * Sends one command at a time, and reacts to its end. [isShared] while the server replies in time; otherwise the client
 * works alone and tries again after longer and longer waits, each client at a moment of its own. Safe for any number of
 * threads.
 */
internal class Commands(
    private val name: String,
    private val settings: FleetSettings,
    private val environment: Environment,
    private val connection: FleetConnection,
) {
    private val isBusy = AtomicBoolean()
    private val patience = settings.patience.inWholeNanoseconds
    private var failures = 0

    @Volatile
    private var retryAt = environment.clock.nanoTime()

    /** Whether the server replied to the last command in time; before the first one, false once the connection failed. */
    @Volatile
    var isShared = true
        private set

    init {
        connection.opened.whenComplete { _, failure -> if (failure != null) unreachable(failure) }
    }

    /** Whether a command is under way. */
    val isUnderWay: Boolean get() = isBusy.get()

    /** Returns whether the caller may [run] a command now; then it must. */
    fun begins(): Boolean {
        if (!isShared && environment.clock.nanoTime() - retryAt < 0) return false
        return isBusy.compareAndSet(false, true)
    }

    /**
     * Runs a command over [keys] with [args] and then [done] with its reply, or with `null` if it is not known what became of it.
     * After that [then] may begin another.
     */
    fun run(keys: Array<String>, args: List<Any>, then: () -> Unit, done: (List<String>?) -> Unit) {
        val isOver = AtomicBoolean()
        fun end(reply: List<String>?, failure: Throwable?) {
            if (!isOver.compareAndSet(false, true)) return
            val wasShared = isShared
            // In this order whoever finds the client alone finds what it lives on then.
            if (reply != null) isShared = true
            val broken = handle(reply, done) ?: failure
            if (reply == null || broken != null) {
                failed()
                isShared = false
            } else {
                failures = 0
            }
            isBusy.set(false)
            then()
            if (isShared != wasShared) tell(FleetEvent(name, isShared, broken))
        }
        try {
            val stage = connection.run(keys, args.map { "$it" }.toTypedArray())
            stage.whenComplete { reply, failure -> end(reply, (failure as? CompletionException)?.cause ?: failure) }
            if (isOver.get()) return
            environment.after(patience) {
                if (isOver.get()) return@after
                end(null, TimeoutException("no reply from Redis within ${settings.patience}"))
                stage.toCompletableFuture().cancel(false)
            }
        } catch (e: Throwable) {
            // Also an Error: a system may have no thread left to open a connection.
            end(null, e)
        }
    }

    /** Runs [done] with [reply], or without one if that is not what it should be; returns what is wrong with it. */
    private fun handle(reply: List<String>?, done: (List<String>?) -> Unit): Throwable? = try {
        done(reply)
        null
    } catch (e: Throwable) {
        done(null)
        e
    }

    /** The first connection failed. A command that is under way has the same end. */
    private fun unreachable(cause: Throwable) {
        if (!isBusy.compareAndSet(false, true)) return
        val wasShared = isShared
        if (wasShared) failed()
        isShared = false
        isBusy.set(false)
        if (wasShared) tell(FleetEvent(name, isShared = false, cause))
    }

    /**
     * The next command waits for a second at most, so that a client that is served again shares within that; and for 2 s after more
     * failures. Then a fleet of 5,000 tries 3,300 times a second, which a server bears that comes back. [Share.SETTLING] is longer
     * than this and a tick.
     */
    private fun failed() {
        val longest = if (failures++ == 0) SECOND else 2 * SECOND
        retryAt = environment.clock.nanoTime() + (longest * (1 + environment.random.next()) / 2).toLong()
    }

    private fun tell(event: FleetEvent) = try {
        settings.listener?.accept(event)
    } catch (_: Throwable) {
        // A listener's failure is its own.
    }
}
