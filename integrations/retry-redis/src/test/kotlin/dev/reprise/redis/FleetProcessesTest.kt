package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual

/**
 * 20 processes with 5,000 clients, of which some are killed, on a server that is killed, begins again and stands still.
 * In real time, for half a minute: only with `-Dnightly` is there anything to run.
 */
class FleetProcessesTest :
    FunSpec({
        val processes = 20
        val clients = 5_000
        val pace = 3_000L

        nightly("a fleet spends no more than the budget, whatever is killed") {
            RedisProcess().use { server ->
                val running =
                    List(processes) { RunningFleet(server.url, clients / processes, 750.0 / pace, failing = 1.0) }
                try {
                    // 20 JVMs start first.
                    until("something is spent", seconds = 120) { running.sumOf { it.retries } > 70 }
                    running.take(maxOf(1, processes / 5)).forEach { it.kill() }
                    Thread.sleep(pace)
                    server.restart()
                    Thread.sleep(3 * pace)
                    server.pause()
                    Thread.sleep(pace)
                    server.resume()
                    Thread.sleep(5 * pace)
                    val made = running.sumOf { it.retries }
                    val refused = running.sumOf { it.refused }
                    Figures.note("$processes processes: made", made, "refused", refused)
                    refused shouldBeGreaterThan 0
                    // The budget, what a lost memory adds, and at a start alone a seventh of a retry for each client.
                    made shouldBeLessThanOrEqual 1_020 + clients / 7
                } finally {
                    running.forEach { it.close() }
                }
            }
        }
    })
