package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.BillingMode
import software.amazon.awssdk.services.dynamodb.model.KeyType
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType
import java.io.File
import java.net.ServerSocket
import java.net.URI
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** DynamoDB Local in a process of its own, on the class path that stands in [classPathFile]. It never throttles. */
class DynamoDbLocal(classPathFile: String) : AutoCloseable {
    private val port = ServerSocket(0).use { it.localPort }
    private val process = ProcessBuilder(
        System.getProperty("java.home") + "/bin/java",
        "-cp",
        File(classPathFile).readText().trim(),
        "software.amazon.dynamodb.services.local.main.ServerRunner",
        "-inMemory",
        "-port",
        "$port",
    ).directory(File("target")).redirectErrorStream(true).redirectOutput(File("target/dynamodb-local.log")).start()
    val url: URI = URI("http://127.0.0.1:$port")
    private val client = DynamoDbClient.builder().endpointOverride(url).region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
        .httpClient(UrlConnectionHttpClient.create())
        .overrideConfiguration { it.retryStrategy(RepriseRetryStrategy.of(untilItIsThere)) }
        .build()

    init {
        try {
            client.createTable { table ->
                table.tableName(TABLE).billingMode(BillingMode.PAY_PER_REQUEST)
                table.keySchema({ it.attributeName("id").keyType(KeyType.HASH) })
                table.attributeDefinitions({ it.attributeName("id").attributeType(ScalarAttributeType.S) })
            }
        } catch (e: Throwable) {
            close()
            throw e
        }
    }

    /** How often each item was written. */
    fun counts(): Map<String, Int> = client.scanPaginator { it.tableName(TABLE) }.items()
        .associate { it.getValue("id").s() to it.getValue("n").n().toInt() }

    override fun close() {
        client.close()
        process.destroy()
        process.waitFor()
    }

    companion object {
        const val TABLE = "counters"

        /** Four seconds on a machine that has nothing else to do, minutes at the lowest priority beside a build. */
        private val untilItIsThere = RetryPolicy {
            maxAttempts = Int.MAX_VALUE
            backoff = Backoff.fixed(200.milliseconds)
            deadline = 15.minutes
            quota = null
        }
    }
}
