// The client over Apache 4 is deprecated in newer SDKs.
@file:Suppress("DEPRECATION")

package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.AttributeValue
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest
import java.time.Duration
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private const val CONNECTIONS = 16
private const val CLUE = 200

/** Short waits, so that the run is; free retries, so that the faults do not use up the quota. */
private val policy: RetryPolicy = Presets.named("standard-2.1", "dynamodb").with {
    maxAttempts = 6
    backoff = Backoff.exponential(base = 5.milliseconds, cap = 50.milliseconds, jitter = Jitter.FULL)
    quota = null
}

/**
 * Conditional writes through faults, by a synchronous and an asynchronous client. In every build 300 to a table that this test
 * plays; with -Dnightly 100,000, to DynamoDB Local if -Ddynamodb.local names a file with its class path.
 */
class BulkTest :
    FunSpec({
        test("nothing is lost, nothing is written twice, no connection leaks") {
            val count = if (System.getProperty("nightly") == null) 300 else 100_000
            val service = System.getProperty("dynamodb.local")?.let { DynamoDbLocal(it) }
            val own = CounterTable()
            service.use {
                val table = service?.let { RemoteTable(it.url) } ?: own
                FaultyTable(table, oneIn = 20, seed = 1).use { server ->
                    run(server, count) {
                        service?.counts()
                            ?: own.counts
                    }
                }
            }
        }
    })

private suspend fun run(server: FaultyTable, count: Int, counts: () -> Map<String, Int>) {
    val strategy = RepriseRetryStrategy.of(policy)
    // What one attempt may take is the only thing that ends a stall. All others keep to it on a busy machine, too.
    val limits = ClientOverrideConfiguration.builder().apiCallAttemptTimeout(Duration.ofSeconds(5)).build()
    val apache = ApacheHttpClient.builder().maxConnections(CONNECTIONS).build()
    val netty = NettyNioAsyncHttpClient.builder().maxConcurrency(
        CONNECTIONS,
    ).maxPendingConnectionAcquires(count).build()
    val credentials = StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b"))
    val sync = DynamoDbClient.builder().endpointOverride(server.url).region(Region.US_EAST_1)
        .credentialsProvider(
            credentials,
        ).httpClient(apache).overrideConfiguration(limits).addPlugin(strategy.plugin()).build()
    val async = DynamoDbAsyncClient.builder().endpointOverride(server.url).region(Region.US_EAST_1)
        .credentialsProvider(
            credentials,
        ).httpClient(netty).overrideConfiguration(limits).addPlugin(strategy.plugin()).build()
    val written = ConcurrentHashMap.newKeySet<String>()
    val failed = ConcurrentHashMap<String, Throwable>()

    fun tally(id: String, failure: Throwable?) {
        // The first attempt may have been served though its answer was lost: then the second finds the item.
        if (failure == null || failure is ConditionalCheckFailedException) written += id else failed[id] = failure
    }

    // A service that has just started takes longer than an attempt may.
    server.isCalm = true
    repeat(count / 100) {
        failureOf { sync.updateItem(add("sync-$it")) }
        failureOf { async.updateItem(add("async-$it")) }
    }
    server.isCalm = false

    val callers = Executors.newFixedThreadPool(2 * CONNECTIONS)
    for (i in 0 until count) {
        val id = "item-$i"
        val write = { if (i % 2 == 0) sync.updateItem(add(id)) else async.updateItem(add(id)) }
        callers.execute { tally(id, failureOf(write)) }
    }
    callers.shutdown()
    callers.awaitTermination(20, TimeUnit.MINUTES) shouldBe true

    val counted = counts()
    server.faults.get() shouldBeGreaterThan count / 40
    counted.filterValues { it != 1 }.entries.shouldBeEmpty()
    (written - counted.keys).shouldBeEmpty()
    // Five faults in a row, each with one chance in twenty, are rare.
    withClue(failed.values.groupingBy { "$it".take(CLUE) }.eachCount()) {
        failed.size shouldBeLessThanOrEqualTo 1 + count / 10_000
    }
    written.size + failed.size shouldBe count
    println("$count writes, ${server.faults.get()} faults, ${failed.size} gave up")

    server.isCalm = true
    val more = Executors.newFixedThreadPool(CONNECTIONS)
    val free = List(CONNECTIONS) { more.submit<Throwable?> { failureOf { sync.updateItem(add("free-$it")) } } }
    free.mapNotNull { it.get(30, TimeUnit.SECONDS) }.shouldBeEmpty()
    more.shutdown()
    server.open.get() shouldBeLessThanOrEqualTo 2 * CONNECTIONS
    sync.close()
    async.close()
    apache.close()
    netty.close()
    eventually(30.seconds) { server.open.get() shouldBe 0 }
}

private fun add(id: String): UpdateItemRequest = UpdateItemRequest.builder()
    .tableName(DynamoDbLocal.TABLE)
    .key(mapOf("id" to AttributeValue.fromS(id)))
    .updateExpression("ADD n :one")
    .conditionExpression("attribute_not_exists(id)")
    .expressionAttributeValues(mapOf(":one" to AttributeValue.fromN("1")))
    .build()
