package dev.reprise.lab.run

import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors

/**
 * Does all [work], as much at a time as the machine has cores, and reports the results in the order of [work], on this
 * thread. [Stopped] work has no result. Any other exception is thrown here.
 */
internal fun <R> inParallel(work: Map<String, () -> R>, onResult: (String, R) -> Unit) {
    if (work.isEmpty()) return
    val threads = minOf(work.size, Runtime.getRuntime().availableProcessors())
    val pool = Executors.newFixedThreadPool(threads) { task -> Thread(task, "retry-lab").apply { isDaemon = true } }
    try {
        val running = work.mapValues { (_, one) -> pool.submit<R> { one() } }
        for ((label, future) in running) {
            try {
                onResult(label, future.get())
            } catch (failure: ExecutionException) {
                if (failure.cause !is Stopped) throw failure.cause!!
            }
        }
    } finally {
        pool.shutdownNow()
    }
}
