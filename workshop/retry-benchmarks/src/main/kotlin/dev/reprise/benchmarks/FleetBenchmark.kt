@file:OptIn(ExperimentalReprise::class)

package dev.reprise.benchmarks

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.redis.RedisQuota
import dev.reprise.redis.RedisSendRate
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

/** A Redis on this machine, with a quota that is full, one that is not, a send rate, and Bucket4j's bucket. */
@State(Scope.Benchmark)
open class FleetState {
    private val port = ServerSocket(0).use { it.localPort }
    private lateinit var server: Process
    private lateinit var client: RedisClient
    lateinit var atRest: RedisQuota
    lateinit var inUse: RedisQuota
    lateinit var rate: RedisSendRate
    lateinit var ownRate: SendRate
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
        inUse = RedisQuota(client, "in-use") { capacity(MANY) }
        while (!(inUse.isShared && inUse.tryTake(COST, null))) LockSupport.parkNanos(1_000_000)
        rate = RedisSendRate(client, "rate")
        ownRate = SendRate(SendRateSettings.STEADY, System.nanoTime())
        val limit = BucketConfiguration.builder()
            .addLimit { it.capacity(MANY.toLong()).refillGreedy(MANY.toLong(), Duration.ofSeconds(1)) }
            .build()
        bucket = Bucket4jLettuce.casBasedBuilder(client).build().getProxy("bucket".toByteArray()) { limit }
    }

    @TearDown
    fun end() {
        listOf(atRest, inUse, rate).forEach { it.close() }
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1))
        server.destroyForcibly()
    }

    private companion object {
        const val MANY = 100_000_000

        /** The cost of a retry. */
        const val COST = 14
    }
}

/** The cost of a fleet's quota and rate for a call that succeeds, beside a bucket that asks Redis each time. */
open class FleetBenchmark {
    @Benchmark
    fun quotaAtRest(state: FleetState): Int = state.atRest.succeeded(1, null)

    @Benchmark
    fun quotaInUse(state: FleetState): Int = state.inUse.succeeded(1, null)

    @Benchmark
    fun ownRateAtRest(state: FleetState): Boolean = state.ownRate.permitAndAnswer()

    @Benchmark
    fun rateAtRest(state: FleetState): Boolean = state.rate.permitAndAnswer()

    @Benchmark
    fun bucket4j(state: FleetState): Boolean = state.bucket.tryConsume(1)

    private fun SendRate.permitAndAnswer(): Boolean {
        val now = System.nanoTime()
        val isThere = tryTake(now)
        record(RateOutcome.ACCEPTED, now, now)
        return isThere
    }
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
