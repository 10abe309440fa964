package dev.reprise.soak

import java.util.concurrent.Executors
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/** Has every face make calls to a server that fails, cancels some of them, and looks at what is left when all is over. */
internal class Soak {
    private val faces = listOf(
        SuspendFace(),
        FlowFace(),
        BlockingFace(),
        FutureFace(),
        ExecutorFace(),
        KtorFace(),
        HttpFace(),
        HttpAsyncFace(),
        OkHttpFace(),
        ApacheFace(),
    )
    private val server = Server(faces.filter { it.usesJdk }.map { it.pathName }.toSet())
    private val ids = AtomicLong()

    /** Workers whose call did not end, though its deadline is a second. */
    private val stuck = mutableListOf<String>()
    private val interrupts: ScheduledExecutorService =
        Executors.newSingleThreadScheduledExecutor { Thread(it, "soak-interrupts").apply { isDaemon = true } }

    fun run(duration: Duration): Verdict {
        val start = System.nanoTime()
        // Pools, caches and compiled code are there after a fifth of the time; later growth is a leak.
        load(duration / FIFTH)
        val before = quiet()
        load(duration - (System.nanoTime() - start).nanoseconds)
        val after = quiet()
        val waiting = faces.sumOf { it.waiting }
        faces.forEach { it.close() }
        val isClosed = within(SETTLES) { server.openConnections <= IDLE_CONNECTIONS }
        val verdict = Verdict(
            faces.map { it.books },
            server.requests.get(),
            server.duplicates.toList(),
            before,
            after,
            CountingWaiter.pending,
            waiting,
            if (isClosed) 0 else server.openConnections,
            stuck,
            Garbage.ofBareClient(),
            Garbage.ofRetryingClient(),
            (System.nanoTime() - start).nanoseconds,
        )
        server.close()
        return verdict
    }

    private fun load(duration: Duration) {
        val end = System.nanoTime() + duration.inWholeNanoseconds
        val workers = faces.flatMap { face -> List(WORKERS) { face } }.map { face ->
            Thread({ while (System.nanoTime() < end) make(face) }, "soak ${face.books.name}").apply { isDaemon = true }
        }
        workers.forEach { it.start() }
        within(end - System.nanoTime() + SETTLES) { workers.none { it.isAlive } }
        stuck += workers.filter { it.isAlive }.map { it.name }
    }

    private fun make(face: Face) {
        val random = ThreadLocalRandom.current()
        val isUnsafe = random.nextInt(UNSAFE) == 0
        val path = (if (isUnsafe) Server.ONCE else "/safe/") + "${face.pathName}/${ids.incrementAndGet()}"
        val isCancelled = face.books.mayBeCancelled && random.nextInt(CANCELLED) == 0
        val cancelAfter = if (isCancelled) random.nextLong(LONGEST_MILLIS) else -1L
        val call = Call(server.uri.resolve(path), isUnsafe, cancelAfter)
        face.books.made.increment()
        try {
            interrupted(face, call) { face.make(call) }
        } catch (_: Exception) {
            // As calls to such a server end.
        }
        face.books.outcomes.increment()
        if (cancelAfter < 0) server.forget(call.uri.path)
    }

    /** Interrupts [work] when [call] is to be cancelled and its face is one of threads; nothing after it. */
    private fun interrupted(face: Face, call: Call, work: () -> Unit) {
        if (call.cancelAfterMillis < 0 || (face !is BlockingFace && face !is HttpFace)) return work()
        val worker = Thread.currentThread()
        val isRunning = AtomicBoolean(true)
        val lock = Any()
        val timer = interrupts.schedule({
            synchronized(lock) { if (isRunning.get()) worker.interrupt() }
        }, call.cancelAfterMillis, TimeUnit.MILLISECONDS)
        try {
            work()
        } finally {
            synchronized(lock) { isRunning.set(false) }
            timer.cancel(false)
            Thread.interrupted()
        }
    }

    /** Waits until what was cancelled has gone, and looks. */
    private fun quiet(): Holdings {
        within(SETTLES) { CountingWaiter.pending == 0L && faces.all { it.books.begun.sum() == it.books.ended.sum() } }
        LockSupport.parkNanos(IDLE_NANOS)
        return Holdings.now()
    }

    private fun within(nanos: Long, isOver: () -> Boolean): Boolean {
        val end = System.nanoTime() + nanos
        while (!isOver()) {
            if (System.nanoTime() > end) return false
            LockSupport.parkNanos(PAUSE_NANOS)
        }
        return true
    }

    private companion object {
        // The JDK 17 client cannot be closed: it keeps connections for reuse.
        const val IDLE_CONNECTIONS = 64
        const val FIFTH = 5
        const val WORKERS = 3
        const val UNSAFE = 5
        const val CANCELLED = 20
        const val LONGEST_MILLIS = 30L

        // A call ends within a second; a machine at a load of a hundred may take twenty for that.
        const val SETTLES = 60_000_000_000L
        const val IDLE_NANOS = 1_000_000_000L
        const val PAUSE_NANOS = 10_000_000L
    }
}
