package dev.reprise.samples

import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.withConfig
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.aws.kotlin.SdkVerdicts
import dev.reprise.aws.kotlin.useReprise
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryTrace
import dev.reprise.core.preset.Presets
import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import kotlin.time.Duration.Companion.seconds

/** The snippets of the page on the AWS SDK for Kotlin, run against a server that fails and then succeeds. */
class AwsKotlinTest :
    FunSpec({
        /** Runs [test] as if the environment named a region, credentials and a service that replies with [codes]. */
        suspend fun withService(vararg codes: Int, test: suspend (MockWebServer) -> Unit) {
            MockWebServer().use { server ->
                codes.forEach { server.enqueue(MockResponse(code = it, body = """{"TableNames":["orders"]}""")) }
                server.start()
                val settings = mapOf(
                    "aws.region" to "us-east-1",
                    "aws.accessKeyId" to "id",
                    "aws.secretAccessKey" to "secret",
                    "aws.endpointUrl" to "http://${server.hostName}:${server.port}",
                )
                settings.forEach(System::setProperty)
                try {
                    test(server)
                } finally {
                    settings.keys.forEach(System::clearProperty)
                }
            }
        }

        test("one line") {
            withService(500, 503, 200) { server ->
                val dynamo = DynamoDbClient.fromEnvironment { useReprise() }

                dynamo.use { it.listTables().tableNames } shouldBe listOf("orders")
                server.requestCount shouldBe 3
                server.takeRequest().headers["amz-sdk-request"] shouldBe "attempt=1; max=4"
            }
        }

        test("one quota and one send rate for several clients, with metrics") {
            withService(500, 200, 200) { server ->
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
            withService(404, 200) { server ->
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
            withService(500, 500, 200) { server ->
                val dynamo = DynamoDbClient.fromEnvironment { useReprise() }

                val patient = dynamo.withConfig { retryStrategy(RepriseRetryStrategy) { maxAttempts = 8 } }

                patient.use { it.listTables() }
                server.requestCount shouldBe 3
                patient.config.retryStrategy.config.maxAttempts shouldBe 8
                dynamo.use { it.config.retryStrategy.config.maxAttempts shouldBe 4 }
            }
        }
    })
