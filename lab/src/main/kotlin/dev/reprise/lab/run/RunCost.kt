package dev.reprise.lab.run

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory
import java.lang.management.MemoryType
import java.util.Locale

/** The cost of a simulation on this machine, from now on. */
internal class RunCost {
    private val machine = ManagementFactory.getOperatingSystemMXBean() as? OperatingSystemMXBean
    private val startedAt = System.nanoTime()
    private val cpuAtStart = cpuNanos()

    /** Time for [events] that happened, and the most heap that was in use with all its garbage. */
    fun of(events: Long): String {
        val seconds = (System.nanoTime() - startedAt) / 1e9
        val pools = ManagementFactory.getMemoryPoolMXBeans().filter { it.type == MemoryType.HEAP }
        val heap = pools.sumOf { it.peakUsage.used }
        val cpu = (cpuNanos() - cpuAtStart) / 1e9
        return "%,d events in %.1f s (%.1f s of CPU, %.2f s for a million), heap at most %,d MB"
            .format(Locale.ROOT, events, seconds, cpu, cpu / (events / 1e6).coerceAtLeast(1e-6), heap / 1_000_000)
    }

    /** The CPU time of all threads, compilers and collectors too; 0 if the machine does not tell it. */
    private fun cpuNanos(): Long = machine?.processCpuTime ?: 0
}
