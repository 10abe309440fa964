package dev.reprise.benchmarks

import dev.reprise.core.classify.FailureKind
import dev.reprise.redis.RedisQuota
import io.github.bucket4j.BucketConfiguration
import io.github.bucket4j.distributed.BucketProxy
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce
import io.lettuce.core.RedisClient
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.Setup
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.OptionsBuilder
import org.openjdk.jmh.runner.options.TimeValue
import java.io.File
import java.net.ServerSocket
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport

/** A Redis of its own, on this machine, with a quota at rest, a quota in use, and Bucket4j's bucket. */
@State(Scope.Benchmark)
open class FleetState {
    private val port = ServerSocket(0).use { it.localPort }
    private lateinit var server: Process
    private lateinit var client: RedisClient
    lateinit var atRest: RedisQuota
    lateinit var inUse: RedisQuota
    lateinit var bucket: BucketProxy

    @Setup
    fun begin() {
        val binary = File.createTempFile("redis-server", "").apply { deleteOnExit() }
        FleetState::class.java.getResourceAsStream("/redis-server-7.0.15-linux-amd64")!!.use {
            binary.writeBytes(it.readBytes())
        }
        binary.setExecutable(true)
        server = ProcessBuilder(binary.path, "--port", "$port", "--bind", "127.0.0.1", "--save", "")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
        client = RedisClient.create("redis://127.0.0.1:$port")
        atRest = RedisQuota(client, "at-rest")
        inUse = RedisQuota(client, "in-use") { capacity = MANY }
        while (!(inUse.isShared && inUse.pays())) LockSupport.parkNanos(1_000_000)
        val limit = BucketConfiguration.builder()
            .addLimit { it.capacity(MANY.toLong()).refillGreedy(MANY.toLong(), Duration.ofSeconds(1)) }
            .build()
        bucket = Bucket4jLettuce.casBasedBuilder(client).build().getProxy("bucket".toByteArray()) { limit }
    }

    @TearDown
    fun end() {
        listOf(atRest, inUse).forEach { it.close() }
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1))
        server.destroyForcibly()
    }

    private companion object {
        const val MANY = 100_000_000
    }
}

/** Takes what a retry costs, as a retrier does when its backoff is over; `false` if it could not be paid. */
internal fun RedisQuota.pays(): Boolean {
    if (!tryTake(COST, FailureKind.TRANSIENT, null)) return false
    while (true) {
        val longer = confirm(COST, null)
        if (longer <= 0) return longer == 0L
        LockSupport.parkNanos(longer)
    }
}

private const val COST = 14

/** What a fleet's quota costs a call, and a retry; beside a bucket that asks Redis each time. */
open class FleetBenchmark {
    @Benchmark
    fun successAtRest(state: FleetState): Int = state.atRest.succeeded(1, null)

    @Benchmark
    fun paidRetryThatSucceeds(state: FleetState): Int {
        check(state.inUse.pays()) { "not paid" }
        return state.inUse.succeeded(COST, null)
    }

    @Benchmark
    fun bucket4j(state: FleetState): Boolean = state.bucket.tryConsume(1)
}

/** Runs the benchmark of fleets and prints it. */
internal fun fleet() {
    val options = OptionsBuilder()
        .include("FleetBenchmark")
        .forks(1)
        .warmupIterations(3)
        .warmupTime(TimeValue.seconds(1))
        .measurementIterations(8)
        .measurementTime(TimeValue.seconds(1))
        .mode(Mode.AverageTime)
        .timeUnit(TimeUnit.NANOSECONDS)
        .jvmArgs("-Xms512m", "-Xmx512m")
        .build()
    Runner(options).run()
}
