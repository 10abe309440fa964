package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import java.nio.file.Files
import java.nio.file.Path

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
            val folder = RedisProcess.newFolder()
            RedisProcess().use { server ->
                val running = List(processes) { begin(server, clients / processes, gap = pace / 750.0, folder, it) }
                fun total(part: Int) = (0 until processes).sumOf {
                    val file = folder.resolve("p$it")
                    if (Files.exists(file)) Files.readString(file).split(' ')[part].toLong() else 0L
                }
                try {
                    // 20 JVMs start first.
                    until("something is spent", seconds = 120) { total(0) > 1_000 }
                    running.take(maxOf(1, processes / 5)).forEach { it.destroyForcibly() }
                    Thread.sleep(pace)
                    server.restart()
                    Thread.sleep(3 * pace)
                    server.pause()
                    Thread.sleep(pace)
                    server.resume()
                    Thread.sleep(5 * pace)
                    val alone = total(1)
                    val shared = total(0) - alone
                    Figures.note("$processes processes: shared", shared, "alone", alone, "refused", total(2))
                    total(2) shouldBeGreaterThan 0
                    shared shouldBeGreaterThan 0
                    shared shouldBeLessThanOrEqual (CAPACITY * 1.02).toLong()
                } finally {
                    running.forEach { it.destroyForcibly() }
                    folder.toFile().deleteRecursively()
                }
            }
        }
    })

private const val CAPACITY = 14_000

private fun begin(server: RedisProcess, clients: Int, gap: Double, folder: Path, number: Int): Process = ProcessBuilder(
    ProcessHandle.current().info().command().get(),
    "-Xmx128m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-cp",
    System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"),
    "dev.reprise.redis.FleetProcess",
    server.url,
    "$clients",
    "$gap",
    folder.resolve("p$number").toString(),
).redirectErrorStream(true).redirectOutput(folder.resolve("log$number").toFile()).start()
