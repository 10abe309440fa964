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
    }, ;

    abstract fun sync(): AwsClientBuilder<*, out SdkClient>

    abstract fun async(): AwsClientBuilder<*, out SdkClient>

    abstract fun call(client: SdkClient): Any?
}

/** One kind of client: what sends its requests. */
enum class Face(val isAsync: Boolean) {
    APACHE(false),
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
            URL_CONNECTION -> (builder as SdkSyncClientBuilder<*, *>).httpClient(urlConnection)
            NETTY -> (builder as SdkAsyncClientBuilder<*, *>).httpClient(netty)
        }
        return builder.build()
    }

    companion object {
        val apache: SdkHttpClient by lazy { ApacheHttpClient.builder().maxConnections(200).build() }
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
