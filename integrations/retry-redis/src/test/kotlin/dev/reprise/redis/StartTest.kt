package dev.reprise.redis

import dev.reprise.build.WaitingSpec
import dev.reprise.core.shell.quota.SharedQuota
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.lettuce.core.ClientOptions
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisURI
import io.lettuce.core.TimeoutOptions
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList

/** Calls that begin with the process, whatever Redis is doing then. `FleetBoundsTest` has four processes of each. */
class StartTest :
    WaitingSpec({
        test("no call fails because Redis is not there, silent, locked or far away when the process starts") {
            RedisProcess().use { open ->
                RedisProcess("--requirepass", "secret").use { locked ->
                    val proxies =
                        listOf(Proxy(open.port).apply { beSilent() }, Proxy(open.port, 100), Proxy(open.port, 50))
                    val urls = listOf("redis://127.0.0.1:1", locked.url) + proxies.map { it.url }
                    val clients = urls.map { RedisClient.create(it) }
                    val before = System.nanoTime()
                    val quotas = clients.map { RedisQuota(it, "orders") }
                    System.nanoTime() - before shouldBeLessThan 20_000_000_000
                    val scope = CoroutineScope(Dispatchers.Default)
                    val callers = quotas.map { Callers(listOf(it), callsPerSecond = 200.0, failing = 0.2) }
                    callers.forEach { with(it) { scope.begin() } }
                    until("calls") { callers.all { it.calls.get() > 400 } }
                    scope.cancel()
                    callers.sumOf { it.retries } shouldBeGreaterThan 300
                    callers.map { it.refused.get() } shouldBe urls.map { 0 }
                    quotas.map { it.isShared }.take(2) shouldBe listOf(false, false)
                    quotas.forEach { it.close() }
                    proxies.forEach { it.close() }
                    clients.forEach { it.shutdown(Duration.ZERO, Duration.ofSeconds(2)) }
                }
            }
        }

        test("a client that cannot connect is alone before its first call, and tells its listener why") {
            RedisProcess("--requirepass", "secret").use { locked ->
                val urls = listOf("redis://127.0.0.1:1", locked.url, locked.url.replace("//", "//:wrong@"))
                val clients = urls.map { RedisClient.create(it) } + Broken()
                val causes = clients.map { client ->
                    val events = CopyOnWriteArrayList<FleetEvent>()
                    RedisQuota(client, "orders") { listener { events += it } }.use { quota ->
                        until("told") { events.isNotEmpty() }
                        quota.isShared shouldBe false
                        quota.pays() shouldBe true
                    }
                    generateSequence(events.single().cause) { it.cause }.joinToString { "$it" }
                }
                clients.forEach { it.shutdown(Duration.ZERO, Duration.ofSeconds(2)) }
                val words = listOf("Connection refused", "NOAUTH", "WRONGPASS", "NoSuchMethodError: netty")
                for ((cause, word) in causes zip words) cause shouldContain word
            }
        }

        test("the connection is open and the script loaded before the first retry needs them") {
            RedisProcess().use { server ->
                val client = RedisClient.create(server.url)
                val admin = client.connect().sync()
                RedisQuota(client, "orders").use { quota ->
                    until("loaded") { "cmdstat_script|load" in admin.info("commandstats") }
                    until("paid") { quota.pays() }
                    quota.isShared shouldBe true
                    val commands = admin.info("commandstats")
                    ("cmdstat_evalsha" in commands) shouldBe true
                    ("cmdstat_eval:" in commands) shouldBe false
                }
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
            }
        }

        test("a connection that takes long to open is used in the end") {
            RedisProcess().use { server ->
                // Longer than two commands of a client that is alone are apart.
                Proxy(server.port, openMs = 5_000).use { proxy ->
                    val client = RedisClient.create(proxy.url)
                    RedisQuota(client, "orders").use { quota ->
                        until("alone") { quota.pays() && !quota.isShared }
                        until("shared") { quota.pays() && quota.isShared }
                    }
                    client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                }
            }
        }

        fun silence(clients: Int, seconds: Long, limit: Duration = Duration.ofSeconds(60)) {
            RedisProcess().use { server ->
                Proxy(server.port).use { proxy ->
                    val client = RedisClient.create(RedisURI.create(proxy.url).apply { timeout = limit })
                    client.options = ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build()
                    val quotas = List(clients) { RedisQuota(client, "orders") }
                    until("heard") { quotas.all { it.pays() && it.isShared && it.available < 14_000 } }
                    if (clients > 1) until("grown") { quotas.all { it.retries() && it.available > 10_000 } }
                    val calls = quotas.map { Retrying(it, threads = 1) }
                    proxy.beSilent()
                    until("alone") { quotas.none { it.isShared } }
                    Thread.sleep(seconds * 1_000)
                    proxy.heal()
                    val healed = System.nanoTime()
                    until("shared again") { quotas.all { it.isShared } }
                    val took = System.nanoTime() - healed
                    Figures.note("silent for $seconds s: $clients clients share again after s", took / 1e9)
                    took + Share.SETTLING shouldBeLessThan if (isNightly) 10_000_000_000 else 40_000_000_000
                    calls.forEach { it.close() }
                    calls.sumOf { it.refused.get() } shouldBe 0
                    quotas.forEach { it.close() }
                    client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                }
            }
        }

        test("a client whose connection went silent opens another one") { silence(clients = 1, seconds = 1) }

        test("a client whose connection went silent opens another one, though its commands have a short time limit") {
            silence(clients = 1, seconds = 1, limit = Duration.ofMillis(400))
        }

        nightly("twenty clients share again within ten seconds after a silence of 30 s") {
            silence(clients = 20, seconds = 30)
        }
    })

/** A retry that succeeds, and so gives back what it took; `false` if it could not be paid. */
private fun SharedQuota.retries() = pays().also { if (it) succeeded(14, null) }

/** A client among libraries that do not fit. */
private class Broken : RedisClient() {
    override fun connect() = throw NoSuchMethodError("netty")
}
