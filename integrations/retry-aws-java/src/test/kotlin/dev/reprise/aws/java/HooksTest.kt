package dev.reprise.aws.java

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.java.JavaRetrier
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeGreaterThanOrEqualTo
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.AttributeValue
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.time.Duration.Companion.seconds

private val quick: RetryPolicy = RetryPolicy { backoff = dev.reprise.core.Backoff.IMMEDIATE }

/** What the plugin's hooks tell the strategy, over a synchronous and an asynchronous client. */
class HooksTest :
    FunSpec({
        for (face in listOf(Face.APACHE, Face.NETTY)) {
            test(
                "listeners hear the operation, the SDK's own exceptions, and attempts that begin after their wait: $face",
            ) {
                val events = CopyOnWriteArrayList<RetryEvent>()
                val strategy = RepriseRetryStrategy.builder().listener(RetryListener { events += it }).build()
                val throttled = Reply(400, "ThrottlingException", mapOf("x-amz-retry-after" to "0"))
                requests(strategy, Reply(500), throttled, Reply.OK, face = face) {
                    failureOf { Service.DYNAMODB.call(it) }.shouldBeNull()
                }
                events.map { it.javaClass.simpleName } shouldContainExactly listOf(
                    "CallStarted", "AttemptStarted", "AttemptFailed", "QuotaTaken", "RetryScheduled",
                    "AttemptStarted", "AttemptFailed", "QuotaTaken", "RetryScheduled",
                    "AttemptStarted", "QuotaRefunded", "CallSucceeded",
                )
                events.map { it.operation }.distinct() shouldBe listOf("DynamoDb.ListTables")
                events.filterIsInstance<RetryEvent.AttemptFailed>().forEach {
                    it.failure.shouldBeInstanceOf<DynamoDbException>()
                }
                val scheduled = events.filterIsInstance<RetryEvent.RetryScheduled>()
                val started = events.filterIsInstance<RetryEvent.AttemptStarted>().drop(1)
                for ((wait, attempt) in scheduled zip started) {
                    // The SDK waits whole milliseconds.
                    attempt.atNanos - wait.atNanos shouldBeGreaterThanOrEqualTo wait.delayNanos - 1_000_000
                }
            }

            test("tables have quotas of their own: $face") {
                val tables = RetrierCache<String, JavaRetrier>(10) { JavaRetrier.of(quick) }
                val byTable = QuotaScope.byField("TableName")
                val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
                requests(strategy, face = face) { client ->
                    for (table in listOf("a", "a", "b")) client.getItem(table)
                    failureOf { Service.DYNAMODB.call(client) }
                }
                tables["a"].retrier().quota!!.available shouldBe 444
                tables["b"].retrier().quota!!.available shouldBe 472
            }
        }

        test("a request's attribute, or its operation, may be the scope") {
            val names = mapOf(QuotaScope.BY_ATTRIBUTE to "mine", QuotaScope.BY_OPERATION to "DynamoDb.GetItem")
            for ((scope, name) in names) {
                val scopes = RetrierCache<String, JavaRetrier>(10) { JavaRetrier.of(quick) }
                val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(scopes, scope).build()
                requests(strategy) { it.getItem("a", "mine") }
                scopes[name].retrier().quota!!.available shouldBe 472
                strategy.retrier().retrier().quota!!.available shouldBe 500
            }
        }

        test("without the plugin the client's one quota pays") {
            val tables = RetrierCache<String, JavaRetrier>(10) { JavaRetrier.of(quick) }
            val byTable = QuotaScope.byField("TableName")
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            requests(strategy, plugin = null) { it.getItem("a") }
            strategy.retrier().retrier().quota!!.available shouldBe 472
            tables.size shouldBe 0
        }

        test("a delay that cannot be read is told, as on every face") {
            val told = mutableListOf<RetryEvent>()
            val retrier = JavaRetrier.builder(quick).listener { told += it }.build()
            val strategy = RepriseRetryStrategy.sharing(retrier)
            val odd = Reply(503, headers = mapOf("x-amz-retry-after" to "soon"))
            requests(strategy, odd, Reply.OK) { Service.DYNAMODB.call(it) }
            told.count { it is RetryEvent.ServerDelayIgnored } shouldBe 1
        }

        test("a negative Retry-After costs no exception of the SDK's, and the call goes on") {
            for (header in listOf("Retry-After", "x-amz-retry-after")) {
                val strategy = RepriseRetryStrategy.of(quick)
                requests(strategy, Reply(500, headers = mapOf(header to "-5")), Reply.OK) {
                    failureOf { Service.DYNAMODB.call(it) }.shouldBeNull()
                } shouldBe 2
            }
        }

        test("an error in a good response of S3's, and a body of DynamoDB's that was damaged, are retried") {
            val replies = mapOf(
                Service.S3 to Reply(200, "InternalError"),
                Service.DYNAMODB to Reply(200, headers = mapOf("x-amz-crc32" to "7")),
            )
            for (face in Face.entries) {
                for ((service, reply) in replies) {
                    ScriptedServer(service.protocol, reply, Reply.OK).use { server ->
                        face.client(service, server, RepriseRetryStrategy.standard().plugin()).use { client ->
                            withClue("$face $service") { failureOf { service.call(client) }.shouldBeNull() }
                        }
                        withClue("$face $service") { server.seen.size shouldBe 2 }
                    }
                }
            }
        }

        test("clients that share a strategy share its quota, each under its service's policy") {
            val strategy = RepriseRetryStrategy.builder().preset("standard-2.1").build()
            val attempts = listOf(Service.DYNAMODB, Service.S3, Service.STS).associateWith { service ->
                ScriptedServer(service.protocol, Reply(500)).use { server ->
                    Face.URL_CONNECTION.client(service, server, strategy.plugin()).use {
                        failureOf { service.call(it) }
                    }
                    server.seen.first().headers.getValue("amz-sdk-request") shouldContain "max=${server.seen.size}"
                    server.seen.size
                }
            }
            attempts shouldContainExactly mapOf(Service.DYNAMODB to 4, Service.S3 to 3, Service.STS to 3)
            strategy.retrier().retrier().quota!!.available shouldBe 500 - 3 * 14 - 2 * 14 - 2 * 14
        }

        test("without plugin and argument the first failure says which service it is") {
            for ((preset, isWatched) in listOf("standard-2.1", "adaptive-2.1").flatMap {
                listOf(it to false, it to true)
            }) {
                val events = CopyOnWriteArrayList<RetryEvent>()
                val builder = RepriseRetryStrategy.builder().preset(preset)
                if (isWatched) builder.listener(RetryListener { events += it })
                val strategy = builder.build()
                requests(strategy, plugin = null) { failureOf { Service.DYNAMODB.call(it) } } shouldBe 4
                events.count { it is RetryEvent.CallStarted } shouldBe if (isWatched) 1 else 0
                events.count { it is RetryEvent.AttemptStarted } shouldBe if (isWatched) 4 else 0
            }
        }

        test("the header announces the service's attempts with the plugin, or where the service is set") {
            for ((attempts, strategy) in mapOf(
                3 to RepriseRetryStrategy.standard(),
                4 to RepriseRetryStrategy.builder().service("dynamodb").build(),
            )) {
                ScriptedServer(Protocol.JSON, Reply(500)).use { server ->
                    Face.APACHE.client(Service.DYNAMODB, server, strategy = strategy).use { client ->
                        failureOf { Service.DYNAMODB.call(client) }
                    }
                    server.seen.map { it.headers["amz-sdk-request"] } shouldBe
                        List(4) { "attempt=${it + 1}; max=$attempts" }
                }
            }
        }

        test("the policy is swapped while the client lives") {
            val strategy = RepriseRetryStrategy.standard()
            ScriptedServer(Protocol.JSON, Reply(500)).use { server ->
                Face.APACHE.client(Service.DYNAMODB, server, strategy.plugin()).use { client ->
                    failureOf { Service.DYNAMODB.call(client) }
                    server.seen.size shouldBe 4
                    strategy.update(RetryPolicy { maxAttempts = 2 })
                    failureOf { Service.DYNAMODB.call(client) }
                    server.seen.size shouldBe 6
                    server.seen.last().headers.getValue("amz-sdk-request") shouldContain "max=2"
                    strategy.retrier().retrier().quota!!.available shouldBe 500 - 4 * 14
                }
            }
        }

        test("the SDK enforces the policy's time limits, unless the client has its own") {
            val policy = RetryPolicy {
                deadline = 20.seconds
                attemptTimeout = 3.seconds
            }
            ScriptedServer(Protocol.JSON, Reply.OK).use { server ->
                val plugin = RepriseRetryStrategy.of(policy).plugin()
                Face.APACHE.client(Service.DYNAMODB, server, plugin).use { client ->
                    val override = client.serviceClientConfiguration().overrideConfiguration()
                    override.apiCallTimeout().get().toSeconds() shouldBe 20
                    override.apiCallAttemptTimeout().get().toSeconds() shouldBe 3
                }
                val own = SdkPlugin { config ->
                    config.overrideConfiguration { it.apiCallTimeout(java.time.Duration.ofSeconds(1)) }
                    plugin.configureClient(config)
                }
                Face.APACHE.client(Service.DYNAMODB, server, own).use { client ->
                    val override = client.serviceClientConfiguration().overrideConfiguration()
                    override.apiCallTimeout().get().toSeconds() shouldBe 1
                }
            }
        }

        test("the user agent names the retry mode") {
            val letters = mapOf("standard-2.1" to "E", "java-v2-legacy" to "D", "adaptive-steady" to "F")
            for ((preset, letter) in letters) {
                ScriptedServer(Protocol.JSON, Reply.OK).use { server ->
                    Face.APACHE.client(Service.DYNAMODB, server, RepriseRetryStrategy.named(preset).plugin()).use {
                        Service.DYNAMODB.call(it)
                    }
                    val metrics = Regex("m/([A-Za-z,+-]+)").find(server.seen.single().headers.getValue("user-agent"))
                    metrics.shouldNotBeNull().groupValues[1].split(',').contains(letter) shouldBe true
                }
            }
        }

        test("a preset for another service is the plain one") {
            RepriseRetryStrategy.standard().forService("S3").policy() shouldBe Presets.named("standard-2.1")
            RepriseRetryStrategy.standard().forService("DynamoDb").policy() shouldBe
                Presets.named("standard-2.1", "dynamodb")
        }
    })

internal fun SdkClient.getItem(table: String, scope: String? = null): Throwable? {
    val request = GetItemRequest.builder().tableName(table).key(mapOf("k" to AttributeValue.fromS("v"))).apply {
        if (scope != null) overrideConfiguration { it.putExecutionAttribute(QuotaScope.NAME, scope) }
    }.build()
    return failureOf {
        if (this is DynamoDbClient) getItem(request) else (this as DynamoDbAsyncClient).getItem(request)
    }
}

/** Runs [block] with a client of DynamoDB whose server says [replies], and returns how many requests it got. */
internal fun requests(
    strategy: RepriseRetryStrategy,
    vararg replies: Reply = arrayOf(Reply(500)),
    face: Face = Face.APACHE,
    plugin: SdkPlugin? = strategy.plugin(),
    block: (SdkClient) -> Unit,
): Int = ScriptedServer(Protocol.JSON, *replies).use { server ->
    face.client(Service.DYNAMODB, server, plugin, if (plugin == null) strategy else null).use(block)
    server.seen.size
}
