package dev.reprise.aws.java

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider
import software.amazon.awssdk.core.util.VersionInfo
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient
import java.net.SocketException

/** A service's own figures are found however its name is written, on each way to a strategy. */
class ServiceNamesTest :
    FunSpec({
        val ways = mapOf<String, () -> RepriseRetryStrategy>(
            "standard" to RepriseRetryStrategy::standard,
            "adaptive" to RepriseRetryStrategy::adaptive,
            "named" to { RepriseRetryStrategy.named("standard-steady") },
            "fromEnvironment" to { RepriseRetryStrategy.fromEnvironment() },
        )

        test("DynamoDB and its streams have four attempts, others three, as the SDKs and users write them") {
            for ((way, strategy) in ways) {
                for ((name, attempts) in mapOf(
                    "dynamodb" to 4,
                    "DynamoDb" to 4,
                    "DynamoDB" to 4,
                    "DynamoDB Streams" to 4,
                    "DynamoDbStreams" to 4,
                    "streams.dynamodb" to 4,
                    "dynamodb-streams" to 4,
                    "DAX" to 3,
                    "S3" to 3,
                    "my own service" to 3,
                )) {
                    withClue("$way $name") { strategy().forService(name).maxAttempts() shouldBe attempts }
                }
            }
        }

        test("clients of the environment's settings make the service's attempts, with the plugin and without") {
            for (isPlugin in listOf(true, false)) {
                val strategy = RepriseRetryStrategy.fromEnvironment()
                for ((service, attempts) in mapOf(Service.DYNAMODB to 4, Service.STS to 3)) {
                    ScriptedServer(service.protocol, Reply(500)).use { server ->
                        val plugin = strategy.plugin().takeIf { isPlugin }
                        Face.APACHE.client(service, server, plugin, strategy.takeUnless { isPlugin })
                            .use { failureOf { service.call(it) } }
                        withClue("$service $isPlugin") { server.seen.size shouldBe attempts }
                    }
                }
            }
        }

        test(
            "so do clients of DynamoDB's streams, whose name in the SDK has a blank, and which the SDK makes plain ones",
        ) {
            val ofSdk = if (VersionInfo.SDK_VERSION.split('.')[1].toInt() >= 58) 3 else 4
            for ((strategy, attempts) in mapOf(
                RepriseRetryStrategy.standard() to 4,
                RepriseRetryStrategy.fromEnvironment() to 4,
                null to ofSdk,
            )) {
                for (isPlugin in listOf(true, false)) {
                    ScriptedServer(Protocol.JSON, Reply(500)).use { server ->
                        val builder = DynamoDbStreamsClient.builder().endpointOverride(
                            server.url,
                        ).region(Region.US_EAST_1)
                            .credentialsProvider(AnonymousCredentialsProvider.create()).httpClient(Face.apache)
                        if (isPlugin) strategy?.let { builder.addPlugin(it.plugin()) }
                        if (!isPlugin) strategy?.let { own -> builder.overrideConfiguration { it.retryStrategy(own) } }
                        builder.build().use { client -> failureOf { client.listStreams() } }
                        withClue("$strategy $isPlugin") { server.seen.size shouldBe attempts }
                    }
                }
            }
        }

        test("a name that a user misspells is refused, one of a client is not") {
            for ((way, strategy) in ways) {
                for (slip in listOf("dynamdb", "DynamoDBB", "my own service!")) {
                    withClue("$way $slip") {
                        shouldThrow<IllegalArgumentException> { strategy().forService(slip) }
                        shouldThrow<IllegalArgumentException> { RepriseRetryStrategy.builder().service(slip).build() }
                        strategy().retriers.policy(slip) shouldBe strategy().policy()
                    }
                }
            }
            RepriseRetryStrategy.builder().service("dynamodb").build().maxAttempts() shouldBe 4
            RepriseRetryStrategy.builder().policy(
                RetryPolicy.STANDARD,
            ).service("dynamdb").build().maxAttempts() shouldBe
                3
        }

        for (preset in listOf("standard-2.1", "adaptive-2.1")) {
            for (isWatched in listOf(false, true)) {
                val events = mutableListOf<RetryEvent>()
                fun strategy(): RepriseRetryStrategy = RepriseRetryStrategy.builder().preset(preset)
                    .apply { if (isWatched) listener { events += it } }.build().also { events.clear() }

                fun reset() = transportFailure(SocketException("Connection reset"))
                fun busy() = serviceFailure(500, service = "DynamoDb")

                test(
                    "alone, $preset has the service's figures from the first failure that names it: watched $isWatched",
                ) {
                    strategy().play(List(6) { busy() }).attempts shouldBe 4
                    strategy().play(listOf(reset()) + List(6) { busy() }).attempts shouldBe 4
                    strategy().play(listOf(reset(), reset(), busy(), reset(), reset())).attempts shouldBe 4
                    strategy().play(List(6) { reset() }).attempts shouldBe 3
                    val strategy = strategy()
                    strategy.play(listOf(reset(), busy(), reset(), null)).attempts shouldBe 4
                    strategy.retrier().retrier().quota!!.available shouldBe 500 - 2 * 14
                    events.filterIsInstance<RetryEvent.RetryScheduled>().map { it.ceiling.inWholeMilliseconds } shouldBe
                        if (isWatched) listOf(50L, 50, 100) else emptyList()
                    events.filter { it is RetryEvent.CallStarted || it is RetryEvent.CallSucceeded }.size shouldBe
                        if (isWatched) 2 else 0
                }

                test("alone, $preset keeps the policy that a call began with: watched $isWatched") {
                    val strategy = strategy()
                    var token = strategy.begin()
                    events.map { it.javaClass.simpleName } shouldBe
                        if (isWatched) listOf("CallStarted", "AttemptStarted") else emptyList()
                    strategy.update(RetryPolicy.NONE)
                    repeat(2) { token = strategy.refreshRetryToken(refresh(token, busy())).token() }
                    shouldThrow<TokenAcquisitionFailedException> { strategy.refreshRetryToken(refresh(token, busy())) }
                }
            }
        }

        test("a policy of the user's, and an update, hold for every service") {
            RepriseRetryStrategy.of(RetryPolicy.STANDARD).forService("DynamoDb").maxAttempts() shouldBe 3
            val updated = RepriseRetryStrategy.fromEnvironment()
            updated.update(RetryPolicy.NONE)
            updated.forService("DynamoDb").maxAttempts() shouldBe 1
        }
    })
