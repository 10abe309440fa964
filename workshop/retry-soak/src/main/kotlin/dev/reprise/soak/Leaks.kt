package dev.reprise.soak

import dev.reprise.java.JavaWaiter
import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong

/** The heap, threads and files of the process now. */
internal class Holdings(val heapBytes: Long, val threads: Int, val files: Int) {
    override fun toString(): String = "${heapBytes / MEGABYTE} MB of heap, $threads threads, $files open files"

    companion object {
        const val MEGABYTE = 1L shl 20
        private const val COLLECTIONS = 3
        private val DESCRIPTORS = Path.of("/proc/self/fd")

        fun now(): Holdings {
            repeat(COLLECTIONS) { System.gc() }
            val runtime = Runtime.getRuntime()
            return Holdings(
                runtime.totalMemory() - runtime.freeMemory(),
                ManagementFactory.getThreadMXBean().threadCount,
                if (Files.exists(DESCRIPTORS)) Files.list(DESCRIPTORS).use { it.count().toInt() } else 0,
            )
        }
    }
}

/** The system's waiter, which also counts the timers that have neither fired nor been cancelled. */
internal object CountingWaiter : JavaWaiter {
    private val timers = AtomicLong()

    val pending: Long get() = timers.get()

    override fun await(duration: Duration) = JavaWaiter.SYSTEM.await(duration)

    override fun after(duration: Duration, task: Runnable): Runnable {
        val isPending = AtomicBoolean(true)
        val over = { if (isPending.getAndSet(false)) timers.decrementAndGet() }
        timers.incrementAndGet()
        val cancel = JavaWaiter.SYSTEM.after(duration) {
            over()
            task.run()
        }
        return Runnable {
            cancel.run()
            over()
        }
    }
}
