package dev.reprise.lab.run

import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors

/**
 * Does all [work], as much at a time as the machine has cores, and returns the results in the order of [work]. [Stopped]
 * work has no result. Any other exception is thrown here.
 */
internal fun <R> inParallel(work: Map<String, () -> R>): Map<String, R> {
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()) { task ->
        Thread(task, "retry-lab").apply { isDaemon = true }
    }
    try {
        val running = work.mapValues { (_, one) -> pool.submit<R> { one() } }
        return buildMap {
            for ((label, future) in running) {
                try {
                    put(label, future.get())
                } catch (failure: ExecutionException) {
                    if (failure.cause !is Stopped) throw failure.cause!!
                }
            }
        }
    } finally {
        pool.shutdownNow()
    }
}
