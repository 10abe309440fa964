package dev.reprise.redis

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import io.lettuce.core.RedisClient
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicInteger
import kotlin.math.ln

/** Clients that call at random moments, of whose attempts a part fails; counts what became of the calls. */
internal class Callers(quotas: List<RedisQuota>, private val callsPerSecond: Double, private val failing: Double) {
    private val retriers = quotas.map { Retrier(RetryPolicy.STANDARD) { quota = it } }
    val calls = AtomicInteger()
    val attempts = AtomicInteger()
    val refused = AtomicInteger()
    private val firsts = AtomicInteger()

    /** The retries that were made. */
    val retries: Int get() = attempts.get() - firsts.get()

    fun CoroutineScope.begin() = retriers.forEach { retrier ->
        launch {
            while (true) {
                delay((-1_000 * ln(1 - ThreadLocalRandom.current().nextDouble()) / callsPerSecond).toLong())
                launch { call(retrier) }
            }
        }
    }

    private suspend fun call(retrier: Retrier) {
        var isFirst = true
        val outcome = retrier.outcome {
            attempts.incrementAndGet()
            if (isFirst) firsts.incrementAndGet()
            isFirst = false
            if (ThreadLocalRandom.current().nextDouble() < failing) throw IOException("down")
        }
        if (outcome.reason == StopReason.QUOTA) refused.incrementAndGet()
        calls.incrementAndGet()
    }
}

/** A program with such clients: one of several processes of a test. */
internal object FleetProcess {
    /** Arguments: the server, how many clients, their calls a second, the part of attempts that fails, a file to report to. */
    @JvmStatic
    fun main(args: Array<String>) {
        val client = RedisClient.create(args[0])
        val count = args[1].toInt()
        // A fleet of thousands has less than a retry for each client that starts alone.
        val settings = if (count == 1) FleetSettings.DEFAULT else FleetSettings { localTokens = 2 }
        val connection = LettuceConnection.of(client, Script.QUOTA)
        val quotas = List(count) {
            RedisQuota("fleet", lazy(::newClientId), settings, connection.environment, connection)
        }
        val callers = Callers(quotas, args[2].toDouble(), args[3].toDouble())
        with(callers) { CoroutineScope(Dispatchers.Default).begin() }
        val out = Path.of(args[4])
        while (true) {
            val shared = quotas.count { it.isShared }
            val text = "${callers.calls} ${callers.retries} ${callers.refused} $shared"
            Files.writeString(out.resolveSibling("${out.fileName}.new"), text)
            Files.move(out.resolveSibling("${out.fileName}.new"), out, StandardCopyOption.ATOMIC_MOVE)
            Thread.sleep(50)
        }
    }
}

/** A process that runs [FleetProcess] on the server at [url]. */
internal class RunningFleet(url: String, clients: Int, callsPerSecond: Double, failing: Double) : AutoCloseable {
    private val folder = RedisProcess.newFolder()
    private val report = folder.resolve("report")
    private val process = ProcessBuilder(
        ProcessHandle.current().info().command().get(),
        "-Xmx128m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"),
        "dev.reprise.redis.FleetProcess",
        url,
        "$clients",
        "$callsPerSecond",
        "$failing",
        "$report",
    ).redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start()

    private fun part(index: Int) = if (Files.exists(report)) Files.readString(report).split(' ')[index].toInt() else 0

    val calls: Int get() = part(0)
    val retries: Int get() = part(1)
    val refused: Int get() = part(2)
    val shared: Int get() = part(3)

    fun kill() {
        process.destroyForcibly().waitFor()
    }

    override fun close() {
        kill()
        folder.toFile().deleteRecursively()
    }
}
