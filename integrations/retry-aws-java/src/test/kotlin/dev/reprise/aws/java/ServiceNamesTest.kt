package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider
import software.amazon.awssdk.core.util.VersionInfo
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient

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
                    "my own service!" to 3,
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

        test("a policy of the user's, and an update, hold for every service") {
            RepriseRetryStrategy.of(RetryPolicy.STANDARD).forService("DynamoDb").maxAttempts() shouldBe 3
            val updated = RepriseRetryStrategy.fromEnvironment()
            updated.update(RetryPolicy.NONE)
            updated.forService("DynamoDb").maxAttempts() shouldBe 1
        }
    })
