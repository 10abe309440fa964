package dev.reprise.presets.outside

import com.sun.management.ThreadMXBean
import java.lang.management.ManagementFactory
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/** What a piece of work cost the thread that did it: CPU, whoever else is busy, and bytes allocated. */
class Work(val cpuNanos: Long, val bytes: Long) {
    val cpu: Duration get() = cpuNanos.nanoseconds

    companion object {
        private val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean

        fun of(work: () -> Unit): Work {
            val id = Thread.currentThread().id
            val bytes = threads.getThreadAllocatedBytes(id)
            val cpu = threads.currentThreadCpuTime
            work()
            return Work(threads.currentThreadCpuTime - cpu, threads.getThreadAllocatedBytes(id) - bytes)
        }
    }
}
