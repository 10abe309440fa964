package dev.reprise.redis

import dev.reprise.core.classify.FailureKind
import io.lettuce.core.RedisClient
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Executors
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong

/** A program with many clients whose calls all fail: one of the processes of `FleetProcessesTest`. */
internal object FleetProcess {
    private val spent = AtomicLong()
    private val refused = AtomicLong()
    private val timer = Executors.newScheduledThreadPool(2)

    /**
     * Arguments: the server, how many clients, the seconds between two failures of each, where to write what was spent.
     */
    @JvmStatic
    fun main(args: Array<String>) {
        val client = RedisClient.create(args[0])
        val gap = (args[2].toDouble() * 1e9).toLong()
        val door = LettuceDoor.of(client)
        val world = door.world()
        val quotas = List(args[1].toInt()) { FleetQuota("fleet", newClientId(), FleetSettings.DEFAULT, world, door) }
        quotas.forEach { failLater(it, gap) }
        val out = Path.of(args[3])
        while (true) {
            val alone = quotas.sumOf { it.spentAlone }
            Files.writeString(out.resolveSibling("${out.fileName}.new"), "${spent.get()} $alone ${refused.get()}")
            Files.move(
                out.resolveSibling("${out.fileName}.new"),
                out,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
            )
            Thread.sleep(100)
        }
    }

    private fun failLater(quota: FleetQuota, gap: Long) {
        val wait = (gap * 2 * ThreadLocalRandom.current().nextDouble()).toLong()
        timer.schedule({
            failLater(quota, gap)
            if (quota.tryTake(COST, null)) {
                confirmLater(quota, BACKOFF)
            } else {
                refused.incrementAndGet()
            }
        }, wait, TimeUnit.NANOSECONDS)
    }

    private fun confirmLater(quota: FleetQuota, wait: Long) {
        timer.schedule({
            val longer = quota.confirm(COST)
            when {
                longer == 0L -> spent.addAndGet(COST.toLong())
                longer < 0 -> refused.incrementAndGet()
                else -> confirmLater(quota, longer)
            }
        }, wait, TimeUnit.NANOSECONDS)
    }

    private const val COST = 14
    private const val BACKOFF = 25_000_000L
}
