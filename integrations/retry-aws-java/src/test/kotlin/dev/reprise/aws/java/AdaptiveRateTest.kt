// The client over Apache 4 is deprecated in newer SDKs.
@file:Suppress("DEPRECATION")

package dev.reprise.aws.java

import com.sun.net.httpserver.HttpServer
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy
import software.amazon.awssdk.core.retry.RetryMode
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.URI
import java.util.concurrent.Executors
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread
import kotlin.math.min

/** Admits [rate] requests a second with a tenth of a second's burst, answers after 15 to 25 ms, and throttles the rest. */
private class LimitedServer(private val rate: Int) : AutoCloseable {
    private var tokens = rate / 10.0
    private var filledAt = System.nanoTime()
    private val workers = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000)
    val url: URI = URI("http://127.0.0.1:${server.address.port}")
    val throttled = AtomicInteger()

    init {
        server.executor = workers
        server.createContext("/") { exchange ->
            exchange.use {
                it.requestBody.readAllBytes()
                val admits = admits()
                if (!admits) throttled.incrementAndGet()
                Thread.sleep(ThreadLocalRandom.current().nextLong(15, 26))
                val body = (if (admits) "{}" else Protocol.JSON.error("ThrottlingException")).encodeToByteArray()
                it.sendResponseHeaders(if (admits) 200 else 400, body.size.toLong())
                it.responseBody.write(body)
            }
        }
        server.start()
    }

    @Synchronized
    private fun admits(): Boolean {
        val now = System.nanoTime()
        tokens = min(rate / 10.0, tokens + (now - filledAt) / 1e9 * rate)
        filledAt = now
        return (tokens >= 1).also { if (it) tokens -= 1 }
    }

    override fun close() {
        server.stop(0)
        workers.shutdownNow()
    }
}

/** The share of the server's [rate] that a real client with [strategy] makes use of, with [callers] threads that never rest. */
private fun shareOf(strategy: RetryStrategy, rate: Int, callers: Int, warmUpSeconds: Double, seconds: Double): Double {
    val served = AtomicLong()
    LimitedServer(rate).use { server ->
        val http = ApacheHttpClient.builder().maxConnections(callers).build()
        val client = DynamoDbClient.builder().endpointOverride(server.url).region(Region.US_EAST_1).httpClient(http)
            .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
            .overrideConfiguration { it.retryStrategy(strategy) }.build()
        val threads = List(callers) {
            thread(isDaemon = true) {
                while (!Thread.currentThread().isInterrupted) {
                    if (failureOf { client.listTables() } == null) served.incrementAndGet()
                }
            }
        }
        Thread.sleep((warmUpSeconds * 1000).toLong())
        val before = served.get()
        val throttledBefore = server.throttled.get()
        val from = System.nanoTime()
        Thread.sleep((seconds * 1000).toLong())
        val perSecond = (served.get() - before) / ((System.nanoTime() - from) / 1e9)
        val throttledShare =
            (server.throttled.get() - throttledBefore) /
                (perSecond * seconds + server.throttled.get() - throttledBefore)
        threads.forEach { it.interrupt() }
        println(
            "%s: %.2f of %d/s, %.1f %% throttled".format(
                strategy.javaClass.simpleName,
                perSecond / rate,
                rate,
                100 * throttledShare,
            ),
        )
        return perSecond / rate
    }
}

/** In real time, a minute for each strategy: only with -Dnightly is there anything to run. */
class AdaptiveRateTest :
    FunSpec({
        if (System.getProperty("nightly") != null) {
            test("adaptive-steady makes use of what the server gives, and of more of it than the SDK's own mode") {
                for ((rate, least) in mapOf(1_000 to 0.95, 20 to 0.8)) {
                    val ours = shareOf(RepriseRetryStrategy.adaptive(), rate, 200, 20.0, 40.0)
                    val theirs = shareOf(AwsRetryStrategy.forRetryMode(RetryMode.ADAPTIVE_V2), rate, 200, 20.0, 40.0)
                    ours shouldBeGreaterThan least
                    ours shouldBeGreaterThan theirs
                }
            }
        }
    })
