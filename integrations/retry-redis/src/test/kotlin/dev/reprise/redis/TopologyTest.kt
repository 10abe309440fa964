package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.lettuce.core.MigrateArgs
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisURI
import io.lettuce.core.api.sync.RedisCommands
import io.lettuce.core.cluster.RedisClusterClient
import io.lettuce.core.cluster.SlotHash
import java.nio.file.Files
import java.time.Duration

/** Sentinel and a cluster of three, of real servers, in real time: only with `-Dnightly` is there anything to run. */
class TopologyTest :
    FunSpec({
        nightly("a master that is killed is replaced by Sentinel, and the quota is shared again, less what was spent") {
            val master = RedisProcess()
            val replica = RedisProcess("--replicaof", "127.0.0.1", "${master.port}", "--repl-diskless-sync-delay", "0")
            val folder = RedisProcess.newFolder()
            val port = RedisProcess.freePort()
            val settings = listOf(
                "port $port",
                "bind 127.0.0.1",
                "sentinel monitor m 127.0.0.1 ${master.port} 1",
                "sentinel down-after-milliseconds m 500",
                "sentinel failover-timeout m 3000",
            )
            val file = Files.write(folder.resolve("sentinel.conf"), settings)
            val sentinel = RedisProcess(file.toString(), "--sentinel", port = port, folder = folder)
            val client = RedisClient.create(RedisURI.create("redis-sentinel://127.0.0.1:$port/0#m"))
            val watch = RedisClient.create(replica.url).connect().sync()
            try {
                until("replicating") { "master_link_status:up" in watch.info("replication") }
                until("the replica is known") {
                    val asked = RedisClient.create(RedisURI.create("127.0.0.1", port))
                    asked.connectSentinel().sync().replicas("m").isNotEmpty()
                        .also { asked.shutdown(Duration.ZERO, Duration.ofSeconds(1)) }
                }
                RedisQuota(client, "orders").use { quota ->
                    until("heard") { quota.pays() && quota.isShared && watch.exists("reprise:1:{orders}:quota") == 1L }
                    until("grown") { quota.pays() && quota.available > 10_000 }
                    repeat(50) { quota.pays() shouldBe true }
                    master.kill()
                    until("local") { quota.pays() && !quota.isShared }
                    until("shared again") { quota.pays() && quota.isShared }
                    watch.info("replication").contains("role:master") shouldBe true
                    (quota.available < 14_000 - 50 * 14) shouldBe true
                }
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                listOf(sentinel, replica, master).forEach { it.close() }
            }
        }

        nightly("in a cluster of three each name has a slot, and all its keys are there") {
            val nodes = List(3) { RedisProcess("--cluster-enabled", "yes", "--cluster-node-timeout", "1000") }
            val admins = nodes.map { RedisClient.create(it.url) }
            val commands = admins.map { it.connect().sync() }
            val client = RedisClusterClient.create(nodes[0].url)
            try {
                commands.forEachIndexed { node, it ->
                    it.clusterAddSlots(*(16_384 * node / 3 until 16_384 * (node + 1) / 3).toList().toIntArray())
                    if (node > 0) it.clusterMeet("127.0.0.1", nodes[0].port)
                }
                until("the cluster is up") {
                    val infos = commands.map { it.clusterInfo() }
                    infos.all { "cluster_state:ok" in it && "cluster_known_nodes:3" in it }
                }
                val names = List(6) { "fleet-$it" }
                val quotas = names.map { RedisQuota(client, it) }
                quotas.forEach { quota ->
                    until("heard") { quota.pays() && quota.isShared && quota.available < 14_000 }
                }
                val keys = commands.map { node -> node.keys("reprise:*") }
                keys.sumOf { it.size } shouldBe 3 * names.size
                names.forEach { name -> keys.count { node -> node.any { "{$name}" in it } } shouldBe 1 }
                moveSlot(commands, nodes, keys.indexOfFirst { node -> node.any { "{fleet-0}" in it } }, "fleet-0") {
                    quotas[0].pays() shouldBe true
                }
                until("shared again") { quotas[0].pays() && quotas[0].isShared }
                quotas.forEach { it.close() }
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                admins.forEach { it.shutdown(Duration.ZERO, Duration.ofSeconds(2)) }
                nodes.forEach { it.close() }
            }
        }
    })

/**
 * Moves all keys of [name] from the node with the number [from] to the next one, as `redis-cli --cluster reshard` does: key by key.
 * [meanwhile] is done after each of them, when some keys of a script are here and some there, and at the end.
 */
private fun moveSlot(
    commands: List<RedisCommands<String, String>>,
    nodes: List<RedisProcess>,
    from: Int,
    name: String,
    meanwhile: () -> Unit,
) {
    val to = (from + 1) % nodes.size
    val ids = commands.map { it.clusterMyId() }
    val keys = commands[from].keys("*{$name}*")
    val slot = SlotHash.getSlot(keys.first())
    commands[to].clusterSetSlotImporting(slot, ids[from])
    commands[from].clusterSetSlotMigrating(slot, ids[to])
    for (key in keys) {
        commands[from].migrate("127.0.0.1", nodes[to].port, 0, 5_000, MigrateArgs.Builder.key(key))
        meanwhile()
    }
    listOf(to, from).forEach { commands[it].clusterSetSlotNode(slot, ids[to]) }
    meanwhile()
    commands[to].keys("*{$name}*").size shouldBe keys.size
}
