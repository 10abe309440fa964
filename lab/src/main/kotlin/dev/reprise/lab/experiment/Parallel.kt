package dev.reprise.lab.experiment

import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors

/** Does all [work], as much at a time as the machine has cores, and returns the results in the order of [work]. */
internal fun <R> inParallel(work: Map<String, () -> R>): Map<String, R> {
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()) { task ->
        Thread(task, "retry-lab").apply { isDaemon = true }
    }
    try {
        val running = work.mapValues { (_, one) -> pool.submit<R> { one() } }
        return running.mapValues { (_, future) -> future.get() }
    } catch (failure: ExecutionException) {
        throw failure.cause!!
    } finally {
        pool.shutdownNow()
    }
}
