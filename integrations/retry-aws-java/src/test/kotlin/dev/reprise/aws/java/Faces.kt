// The client over Apache 4 is deprecated in newer SDKs.
@file:Suppress("DEPRECATION")

package dev.reprise.aws.java

import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.core.client.builder.SdkAsyncClientBuilder
import software.amazon.awssdk.core.client.builder.SdkSyncClientBuilder
import software.amazon.awssdk.http.SdkHttpClient
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.http.apache5.Apache5HttpClient
import software.amazon.awssdk.http.async.SdkAsyncHttpClient
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.s3.S3AsyncClient
import software.amazon.awssdk.services.s3.S3Client
import software.amazon.awssdk.services.sqs.SqsAsyncClient
import software.amazon.awssdk.services.sqs.SqsClient
import software.amazon.awssdk.services.sts.StsAsyncClient
import software.amazon.awssdk.services.sts.StsClient
import java.lang.reflect.InvocationTargetException
import java.net.URI
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException

/** A service, and one operation of it on a synchronous and on an asynchronous client. */
enum class Service(val protocol: Protocol) {
    DYNAMODB(Protocol.JSON) {
        override fun sync() = DynamoDbClient.builder()

        override fun async() = DynamoDbAsyncClient.builder()

        override fun call(client: SdkClient): Any? = when (client) {
            is DynamoDbClient -> client.listTables()
            else -> (client as DynamoDbAsyncClient).listTables()
        }
    },
    S3(Protocol.REST_XML) {
        override fun sync() = S3Client.builder().forcePathStyle(true)

        override fun async() = S3AsyncClient.builder().forcePathStyle(true)

        override fun call(client: SdkClient): Any? = when (client) {
            is S3Client -> client.listBuckets()
            else -> (client as S3AsyncClient).listBuckets()
        }
    },
    STS(Protocol.QUERY) {
        override fun sync() = StsClient.builder()

        override fun async() = StsAsyncClient.builder()

        override fun call(client: SdkClient): Any? = when (client) {
            is StsClient -> client.callerIdentity
            else -> (client as StsAsyncClient).callerIdentity
        }
    },
    SQS(Protocol.JSON) {
        override fun sync() = SqsClient.builder()

        override fun async() = SqsAsyncClient.builder()

        override fun call(client: SdkClient): Any? = when (client) {
            is SqsClient -> client.receiveMessage { it.queueUrl("http://127.0.0.1/q") }
            else -> (client as SqsAsyncClient).receiveMessage { it.queueUrl("http://127.0.0.1/q") }
        }
    },

    /** There with `-Dprotocols`, as EC2. */
    KINESIS(Protocol.CBOR) {
        override fun sync() = optional("kinesis.KinesisClient")

        override fun async() = optional("kinesis.KinesisAsyncClient")

        override fun call(client: SdkClient): Any? = optional(client, "kinesis.Kinesis", "listStreams")
    },
    EC2(Protocol.EC2) {
        override fun sync() = optional("ec2.Ec2Client")

        override fun async() = optional("ec2.Ec2AsyncClient")

        override fun call(client: SdkClient): Any? = optional(client, "ec2.Ec2", "describeRegions")
    }, ;

    val isXml: Boolean get() = protocol.good.startsWith("<")

    /** Whether its client is on the class path. */
    val isThere: Boolean get() = runCatching { sync() }.isSuccess

    abstract fun sync(): AwsClientBuilder<*, out SdkClient>

    abstract fun async(): AwsClientBuilder<*, out SdkClient>

    abstract fun call(client: SdkClient): Any?
}

@Suppress("UNCHECKED_CAST")
private fun optional(client: String) =
    Class.forName("software.amazon.awssdk.services.$client").getMethod("builder").invoke(null)
        as AwsClientBuilder<*, out SdkClient>

private fun optional(client: SdkClient, name: String, operation: String): Any? = try {
    val isAsync = client.javaClass.simpleName.contains("Async")
    val type = Class.forName("software.amazon.awssdk.services.$name${if (isAsync) "Async" else ""}Client")
    type.getMethod(operation).invoke(client)
} catch (e: InvocationTargetException) {
    throw e.targetException
}

/** One kind of client: what sends its requests. */
enum class Face(val isAsync: Boolean) {
    APACHE(false),
    APACHE5(false),
    URL_CONNECTION(false),
    NETTY(true),
    ;

    /** A client of [service] at [server], with [plugin] and, if there is one, [strategy]. */
    fun client(
        service: Service,
        server: ScriptedServer,
        plugin: SdkPlugin? = null,
        strategy: RepriseRetryStrategy? = null,
    ): SdkClient = client(service, server.url, plugin, strategy)

    fun client(
        service: Service,
        url: URI,
        plugin: SdkPlugin? = null,
        strategy: RepriseRetryStrategy? = null,
    ): SdkClient {
        val builder = if (isAsync) service.async() else service.sync()
        builder.endpointOverride(url)
        builder.region(Region.US_EAST_1)
        builder.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
        if (strategy != null) builder.overrideConfiguration { it.retryStrategy(strategy) }
        if (plugin != null) builder.addPlugin(plugin)
        when (this) {
            APACHE -> (builder as SdkSyncClientBuilder<*, *>).httpClient(apache)
            APACHE5 -> (builder as SdkSyncClientBuilder<*, *>).httpClient(apache5)
            URL_CONNECTION -> (builder as SdkSyncClientBuilder<*, *>).httpClient(urlConnection)
            NETTY -> (builder as SdkAsyncClientBuilder<*, *>).httpClient(netty)
        }
        return builder.build()
    }

    companion object {
        val apache: SdkHttpClient by lazy { ApacheHttpClient.builder().maxConnections(200).build() }
        val apache5: SdkHttpClient by lazy { Apache5HttpClient.builder().maxConnections(200).build() }
        val urlConnection: SdkHttpClient by lazy { UrlConnectionHttpClient.create() }
        val netty: SdkAsyncHttpClient by lazy { NettyNioAsyncHttpClient.builder().maxConcurrency(2_000).build() }
    }
}

/** What [call] throws, or `null`; of a future, what it fails with. */
fun failureOf(call: () -> Any?): Throwable? = try {
    val result = call()
    if (result is CompletableFuture<*>) result.join()
    null
} catch (e: CompletionException) {
    e.cause
} catch (e: Exception) {
    e
}
