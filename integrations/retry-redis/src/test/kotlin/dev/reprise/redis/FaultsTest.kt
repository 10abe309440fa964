package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisURI
import io.lettuce.core.api.sync.RedisCommands
import java.time.Duration
import java.util.concurrent.CompletionStage
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.time.toJavaDuration

/** What becomes of calls when a real server is killed, stopped, full, or not as it should be: nothing. */
class FaultsTest :
    FunSpec({
        class Scene(url: String, patience: Duration) : AutoCloseable {
            val events = CopyOnWriteArrayList<FleetEvent>()
            val client: RedisClient = RedisClient.create(url)
            val quota = RedisQuota(client, "orders") {
                patience(patience)
                listener { events += it }
            }
            val calls: Retrying

            init {
                until("connected") { pay() && quota.isShared && quota.available < 14_000 }
                // So that the bucket is grown up, and the client knows what it holds.
                until("grown") { pay() && quota.available > 10_000 }
                // Before it was connected it was alone.
                events.clear()
                calls = Retrying(quota)
            }

            private fun pay(): Boolean {
                quota.pays()
                return true
            }

            /** As long as the server is gone no call fails for it, and the client goes on by itself. */
            fun goesOn(fault: String) {
                until("local") { !quota.isShared }
                val before = calls.paid.get()
                until("calls go on") { calls.paid.get() > before + 20 }
                isUnharmed(fault)
            }

            /** Calls are made again from the fleet's quota, and no more commands than one client sends. */
            fun comesBack() {
                until("shared again") { quota.isShared }
                val before = calls.paid.get()
                until("calls go on") { calls.paid.get() > before + 20 }
                events.first().isShared shouldBe false
                events.zipWithNext().all { (one, next) -> one.isShared != next.isShared } shouldBe true
            }

            fun isUnharmed(fault: String) {
                Figures.note("$fault: calls", calls.paid, "failed", calls.refused, "longest added ms", calls.longestMs)
                calls.refused.get() shouldBe 0
                calls.paid.get() shouldBeGreaterThan 10
                // Virtual time holds it to 100 ms; here a busy machine may be late.
                if (isNightly) calls.longestMs shouldBeLessThan 300.0
            }

            override fun close() {
                calls.close()
                quota.close()
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
            }
        }

        fun scene(
            patience: Duration = FleetSettings.DEFAULT.patience.toJavaDuration(),
            test: Scene.(RedisProcess, RedisCommands<String, String>) -> Unit,
        ) {
            RedisProcess().use { server ->
                val admin = RedisClient.create(server.url)
                Scene(server.url, patience).use { it.test(server, admin.connect().sync()) }
                admin.shutdown(Duration.ZERO, Duration.ofSeconds(2))
            }
        }

        test("a server that is killed and begins again with nothing") {
            scene { server, _ ->
                server.kill()
                goesOn("kill -9")
                server.restart()
                // What was lost with its memory is refused until success has filled it up again.
                comesBack()
            }
        }

        test("a server that stands still with its connections open") {
            scene { server, _ ->
                server.pause()
                goesOn("SIGSTOP")
                server.resume()
                comesBack()
                isUnharmed("SIGSTOP and SIGCONT")
            }
        }

        test("a server that becomes a replica and keeps its connections, while its name leads to the new master") {
            RedisProcess().use { first ->
                RedisProcess().use { second ->
                    Proxy(first.port).use { name ->
                        val admin = RedisClient.create(first.url)
                        Scene(name.url, Duration.ofSeconds(5)).use { scene ->
                            name.target = second.port
                            admin.connect().sync().replicaof("127.0.0.1", second.port)
                            scene.goesOn("failover by name")
                            scene.events.first().cause?.message.orEmpty() shouldContain "READONLY"
                            scene.comesBack()
                        }
                        admin.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                    }
                }
            }
        }

        // So that a client on a busy machine is not alone for another reason before.
        val longPatience = Duration.ofSeconds(5)

        fun Scene.hasMet(error: String) = events.any { error in it.cause?.message.orEmpty() }

        // The rest of the faults takes 5 s each: with -Dnightly.
        nightly("a server that is full") {
            scene(longPatience) { _, admin ->
                admin.configSet("maxmemory", "1")
                goesOn("full")
                hasMet("OOM") shouldBe true
                admin.configSet("maxmemory", "0")
                comesBack()
                isUnharmed("full, and no longer")
            }
        }

        nightly("a server that has something else at the key") {
            scene(longPatience) { _, admin ->
                admin.set("reprise:1:{orders}:quota", "something else")
                goesOn("wrong type")
                hasMet("WRONGTYPE") shouldBe true
                admin.del("reprise:1:{orders}:quota")
                comesBack()
            }
        }

        nightly("a server that forgets its scripts") {
            scene { _, admin ->
                admin.scriptFlush()
                fun commands() = admin.info("commandstats").lines().first { "cmdstat_evalsha:" in it }
                val before = commands()
                until("the next command") { commands() != before }
                until("calls go on") { calls.paid.get() > 20 }
                events.none { "NOSCRIPT" in it.cause?.message.orEmpty() } shouldBe true
                isUnharmed("script flush")
            }
        }

        test("a system that has no thread left for a connection") {
            val agenda = Agenda(seed = 1)
            val connection = object : FleetConnection {
                override fun run(keys: Array<String>, args: Array<String>): CompletionStage<List<String>> =
                    throw OutOfMemoryError("unable to create native thread")

                override fun close() = Unit
            }
            val settings = FleetSettings { localTokens = 28 }
            val quota = RedisQuota("orders", lazyOf("c"), settings, agenda.environment(), connection)
            List(3) { quota.tryTake(14, null) && quota.confirm(14) == 0L } shouldBe listOf(true, true, false)
            quota.isShared shouldBe false
        }

        test(
            "a password is the user's client's: with it the quota is shared, and with another one the client is alone",
        ) {
            RedisProcess("--requirepass", "secret").use { server ->
                for (password in listOf("secret", "wrong")) {
                    val uri = RedisURI.builder().withHost("127.0.0.1").withPort(server.port)
                    val client = RedisClient.create(uri.withPassword(password.toCharArray()).build())
                    RedisQuota(client, "orders").use { quota ->
                        if (password == "secret") {
                            until("heard") { quota.pays() && quota.isShared && quota.available < 14_000 }
                        } else {
                            until("alone") { quota.pays() && !quota.isShared }
                        }
                    }
                    client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                }
            }
        }

        test("an access list of the prefix and ten commands is enough, and none at all does no harm") {
            RedisProcess().use { server ->
                val admin = RedisClient.create(server.url)
                val commands = admin.connect().sync()
                commands.dispatch(
                    io.lettuce.core.protocol.CommandType.ACL,
                    io.lettuce.core.output.StatusOutput(io.lettuce.core.codec.StringCodec.UTF8),
                    io.lettuce.core.protocol.CommandArgs(io.lettuce.core.codec.StringCodec.UTF8).addValues(
                        (
                            "SETUSER app on >secret ~reprise:1:* +eval +evalsha +time +hmget +hset +pexpire +zadd " +
                                "+zremrangebyscore +zcard +zscore"
                            ).split(" "),
                    ),
                )
                val uri = RedisURI.builder().withHost("127.0.0.1").withPort(server.port)
                val allowed = RedisClient.create(uri.withAuthentication("app", "secret").build())
                RedisQuota(allowed, "orders").use { quota ->
                    until("paid and heard") { quota.pays() && quota.isShared && commands.dbsize() > 0 }
                    val keys = commands.keys("*")
                    keys.all { it.startsWith("reprise:1:{orders}:") && commands.pttl(it) > 0 } shouldBe true
                    keys shouldContain "reprise:1:{orders}:quota"
                }
                RedisQuota(allowed, "orders") { prefix = "other" }.use { quota ->
                    until("local") { quota.pays() && !quota.isShared }
                    commands.keys("other*").size shouldBe 0
                }
                listOf(admin, allowed).forEach { it.shutdown(Duration.ZERO, Duration.ofSeconds(2)) }
            }
        }
    })
