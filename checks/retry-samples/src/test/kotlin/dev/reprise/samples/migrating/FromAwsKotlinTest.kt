@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples.migrating

import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.smithy.kotlin.runtime.ServiceException
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.core.ExperimentalReprise
import dev.reprise.samples.withAwsService
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** The same client of the AWS SDK for Kotlin with the SDK's retries and with ours. */
class FromAwsKotlinTest :
    FunSpec({
        suspend fun before(): DynamoDbClient {
            val dynamo = DynamoDbClient.fromEnvironment {
                retryStrategy { maxAttempts = 5 }
            }
            return dynamo
        }

        suspend fun after(): DynamoDbClient {
            val dynamo = DynamoDbClient.fromEnvironment {
                retryStrategy(RepriseRetryStrategy) { maxAttempts = 5 }
            }
            return dynamo
        }

        /** The requests of one call to a service that replies with [codes], and the call's end. */
        suspend fun played(client: suspend () -> DynamoDbClient, codes: List<Int>): Pair<Int, String> =
            withAwsService(codes) { server ->
                val end = try {
                    client().use { it.listTables().tableNames.toString() }
                } catch (_: ServiceException) {
                    "failed"
                }
                server.requestCount to end
            }

        test("the same requests, the same end") {
            val calls = listOf(
                listOf(200) to (1 to "[orders]"),
                listOf(500, 503, 200) to (3 to "[orders]"),
                listOf(500, 500, 500, 500, 500) to (5 to "failed"),
                listOf(400, 200) to (1 to "failed"),
            )
            for ((codes, expected) in calls) {
                played(::before, codes) shouldBe expected
                played(::after, codes) shouldBe expected
            }
        }
    })
