@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.withConfig
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.aws.kotlin.SdkVerdicts
import dev.reprise.aws.kotlin.useReprise
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryTrace
import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import kotlin.time.Duration.Companion.seconds

/** The snippets of the page on the AWS SDK for Kotlin, run against a server that fails and then succeeds. */
class AwsKotlinTest :
    FunSpec({
        test("one line") {
            withAwsService(listOf(500, 503, 200)) { server ->
                val dynamo = DynamoDbClient.fromEnvironment { useReprise() }

                dynamo.use { it.listTables().tableNames } shouldBe listOf("orders")
                server.requestCount shouldBe 3
                server.takeRequest().headers["amz-sdk-request"] shouldBe "attempt=1; max=4"
            }
        }

        test("one quota and one send rate for several clients, with metrics") {
            withAwsService(listOf(500, 200, 200)) { server ->
                val registry = SimpleMeterRegistry()

                val metrics = RetryMetrics(registry, "dynamodb")
                val retrier = Retrier(Presets.named("adaptive-steady", service = "dynamodb")).with(metrics)
                val orders = DynamoDbClient.fromEnvironment { retryStrategy = RepriseRetryStrategy(retrier) }
                val users = DynamoDbClient.fromEnvironment { retryStrategy = RepriseRetryStrategy(retrier) }

                orders.use { it.listTables() }
                users.use { it.listTables() }
                server.requestCount shouldBe 3
                registry.meters.size shouldBeGreaterThan 0

                retrier.update(retrier.policy.with { maxAttempts = 2 })
                orders.config.retryStrategy.config.maxAttempts shouldBe 2
            }
        }

        test("every setting") {
            withAwsService(listOf(404, 200)) { server ->
                val dynamo = DynamoDbClient.fromEnvironment {
                    retryStrategy(RepriseRetryStrategy) {
                        policy = Presets.named("standard-2.1", service = "dynamodb").with { deadline = 5.seconds }
                        sdkVerdicts = SdkVerdicts.LIMIT
                        longPoll("Orders.NextOrder")
                        listener(LoggingListener())
                    }
                }

                val failure = shouldThrow<Exception> { dynamo.use { it.listTables() } }
                RetryTrace.of(failure)!!.attempts shouldBe 1
                server.requestCount shouldBe 1
            }
        }

        test("a client with other settings for some calls") {
            withAwsService(listOf(500, 500, 200)) { server ->
                val dynamo = DynamoDbClient.fromEnvironment { useReprise() }

                val patient = dynamo.withConfig { retryStrategy(RepriseRetryStrategy) { maxAttempts = 8 } }

                patient.use { it.listTables() }
                server.requestCount shouldBe 3
                patient.config.retryStrategy.config.maxAttempts shouldBe 8
                dynamo.use { it.config.retryStrategy.config.maxAttempts shouldBe 4 }
            }
        }
    })
