package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisClient
import java.time.Duration

private const val BUDGET = 1_000

/** What four processes on a real Redis spend in an outage, and lose when they start. */
class FleetBoundsTest :
    FunSpec({
        fun fleet(urls: List<String>, failing: Double, callsPerSecond: Double, test: (List<RunningFleet>) -> Unit) {
            val running = urls.map { RunningFleet(it, 1, callsPerSecond, failing) }
            try {
                test(running)
            } finally {
                running.forEach { it.close() }
            }
        }

        fun List<RunningFleet>.made() = sumOf { it.retries }

        /** All calls fail; [fault] comes when a third of the budget is spent. Returns the retries that were made. */
        fun outage(urls: List<String>, fault: () -> Unit): Int {
            var made = 0
            fleet(urls, failing = 1.0, callsPerSecond = 20.0) { running ->
                until("a third is spent", seconds = 60) { running.made() > BUDGET / 3 }
                fault()
                until("all are shared again", seconds = 30) { running.all { it.shared == 1 } }
                // Until all leases and shares are given back, and what is left is spent.
                Thread.sleep(12_000)
                made = running.made()
            }
            return made
        }

        fun row(name: String, bound: Int, away: Long = 0, fault: RedisProcess.(List<Proxy>) -> Unit) {
            nightly("an outage, and $name: at most $bound retries") {
                RedisProcess().use { server ->
                    val proxies = List(4) { Proxy(server.port, away) }
                    val made = outage(proxies.map { it.url }) { server.fault(proxies) }
                    proxies.forEach { it.close() }
                    Figures.note("$name: budget $BUDGET, made $made, bound $bound")
                    made shouldBeLessThanOrEqual bound
                }
            }
        }

        row("Redis is 50 ms away", BUDGET, away = 50) { }
        row("kill -9, empty after 1 s", BUDGET + 20) {
            kill()
            Thread.sleep(1_000)
            restart()
        }
        row("killed five times", BUDGET + 5 * 20) {
            repeat(5) {
                restart()
                Thread.sleep(2_000)
            }
        }
        row("FLUSHALL eight times", BUDGET + 8 * 20) {
            val client = RedisClient.create(url)
            val admin = client.connect().sync()
            repeat(8) {
                admin.flushall()
                Thread.sleep(1_000)
            }
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
        }
        row("two of four cut off for 10 s", BUDGET + BUDGET / 2) { proxies ->
            proxies.take(2).forEach { it.beSilent() }
            Thread.sleep(10_000)
            proxies.take(2).forEach { it.heal() }
        }
        row("SIGSTOP for 10 s", BUDGET) {
            pause()
            Thread.sleep(10_000)
            resume()
        }

        fun start(name: String, url: (RedisProcess) -> Proxy?) {
            nightly("a start with Redis $name: no call fails for it") {
                RedisProcess("--requirepass", "secret").use { server ->
                    val proxy = url(server)
                    val where = proxy?.url ?: if (name == "locked") server.url else "redis://127.0.0.1:1"
                    fleet(List(4) { where }, failing = 0.1, callsPerSecond = 100.0) { running ->
                        until("calls", seconds = 60) { running.all { it.calls > 1_000 } }
                        val refused = running.sumOf { it.refused }
                        Figures.note("start, $name: calls ${running.sumOf { it.calls }} refused $refused")
                        refused shouldBe 0
                    }
                    proxy?.close()
                }
            }
        }

        fun open(server: RedisProcess) {
            val client = RedisClient.create("redis://secret@127.0.0.1:${server.port}")
            client.connect().sync().configSet("requirepass", "")
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
        }
        start("not there") { null }
        start("silent") { Proxy(it.port).apply { beSilent() } }
        start("locked") { null }
        start("100 ms away") { open(it).run { Proxy(it.port, 100) } }
        start("50 ms away") { server -> open(server).run { Proxy(server.port, 50) } }
        start("near, and the machine busy") { server -> open(server).run { Proxy(server.port) } }
    })
