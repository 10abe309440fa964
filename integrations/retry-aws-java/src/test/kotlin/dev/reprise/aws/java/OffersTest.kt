package dev.reprise.aws.java

import dev.reprise.build.rounds
import dev.reprise.core.Backoff
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider
import software.amazon.awssdk.awscore.AwsServiceClientConfiguration
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.core.interceptor.Context
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor
import software.amazon.awssdk.http.SdkHttpRequest
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.ListTablesRequest
import java.lang.ref.WeakReference
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds

private val CALLS = rounds(few = 200, many = 1_000)

/** Netty's pooled connections know something of their last calls. */
private const val OF_CONNECTIONS = 10

private val quick: RetryPolicy = RetryPolicy { backoff = Backoff.IMMEDIATE }

private val foreign = SdkPlugin { config ->
    config.overrideConfiguration { it.retryStrategy(AwsRetryStrategy.doNotRetry()) }
}

/** A call's offer to its strategy leaves the thread when the call ends, taken or not. */
class OffersTest :
    FunSpec({
        for (face in listOf(Face.APACHE, Face.NETTY)) {
            val own = RepriseRetryStrategy.of(RetryPolicy.NONE).plugin()
            for ((whose, plugin) in mapOf("the client's" to null, "another" to foreign, "our other" to own)) {
                test("a thread keeps nothing of requests that have $whose strategy: $face") {
                    Caller(face).use { caller ->
                        caller.calls { client -> failureOf { client.listTables(plugin) }.shouldBeNull() }
                        caller.onItsThread { CallContext.offers() }.shouldBeEmpty()
                        caller.holdsNothing()
                    }
                }
            }

            test("a thread keeps nothing of requests that an interceptor stops before they are sent: $face") {
                Caller(face, stops = true).use { caller ->
                    caller.calls { client -> failureOf { client.listTables(null) }.shouldNotBeNull() }
                    caller.holdsNothing()
                }
            }

            test("a request's own plugin knows its operation and its scope: $face") {
                val events = CopyOnWriteArrayList<RetryEvent>()
                val scopes = RetrierCache<String, JavaRetrier>(10) { JavaRetrier.of(quick) }
                val own = RepriseRetryStrategy.builder().policy(quick).listener { events += it }
                    .scopes(scopes, QuotaScope.BY_OPERATION).build()
                val ofClient = RepriseRetryStrategy.of(quick)
                ScriptedServer(Protocol.JSON, Reply(500)).use { server ->
                    face.client(Service.DYNAMODB, server, ofClient.plugin()).use { client ->
                        failureOf { client.listTables(own.plugin()) }.shouldNotBeNull()
                    }
                    server.seen.size shouldBe 3
                }
                ofClient.retrier().retrier().quota!!.available shouldBe 500
                own.retrier().retrier().quota!!.available shouldBe 500
                scopes["DynamoDb.ListTables"].retrier().quota!!.available shouldBe 472
            }
        }

        test("credentials that another client fetches on the way leave each call its operation") {
            for (ofRequest in listOf(null, foreign)) {
                val events = CopyOnWriteArrayList<RetryEvent>()
                fun plugin() = RepriseRetryStrategy.builder().policy(quick).listener { events += it }.build().plugin()
                ScriptedServer(Protocol.JSON, Reply.OK).use { tokens ->
                    Face.URL_CONNECTION.client(Service.DYNAMODB, tokens, plugin()).use { inner ->
                        val provider = AwsCredentialsProvider {
                            inner.listTables(ofRequest)
                            System.gc()
                            AwsBasicCredentials.create("a", "b")
                        }
                        ScriptedServer(Protocol.QUERY, Reply.OK).use { server ->
                            val outer = SdkPlugin { config ->
                                plugin().configureClient(config)
                                (config as AwsServiceClientConfiguration.Builder).credentialsProvider(provider)
                            }
                            Face.APACHE.client(Service.STS, server, outer).use { Service.STS.call(it) }
                        }
                    }
                }
                events.filterIsInstance<RetryEvent.CallSucceeded>().map { it.operation } shouldContainExactly
                    listOfNotNull("DynamoDb.ListTables".takeIf { ofRequest == null }, "Sts.GetCallerIdentity")
            }
        }
    })

/** A client with the plugin, called from one thread; or one whose requests an interceptor [stops]. */
private class Caller(face: Face, stops: Boolean = false) : AutoCloseable {
    private val calls = CopyOnWriteArrayList<WeakReference<ExecutionAttributes>>()
    private val thread = Executors.newSingleThreadExecutor()
    private val server = ScriptedServer(Protocol.JSON, Reply.OK)
    private val client = face.client(
        Service.DYNAMODB,
        server,
        SdkPlugin { config ->
            RepriseRetryStrategy.standard().plugin().configureClient(config)
            config.overrideConfiguration { it.addExecutionInterceptor(Watch(stops)) }
        },
    )

    private inner class Watch(private val stops: Boolean) : ExecutionInterceptor {
        override fun modifyHttpRequest(
            context: Context.ModifyHttpRequest,
            attributes: ExecutionAttributes,
        ): SdkHttpRequest {
            calls += WeakReference(attributes)
            check(!stops) { "stopped" }
            return context.httpRequest()
        }
    }

    fun <T> onItsThread(action: () -> T): T = thread.submit(action).get(10, TimeUnit.MINUTES)

    fun calls(call: (SdkClient) -> Unit) = onItsThread { repeat(CALLS) { call(client) } }

    suspend fun holdsNothing() {
        calls.size shouldBe CALLS
        eventually(20.seconds) {
            System.gc()
            calls.count { it.get() != null } shouldBeLessThanOrEqual OF_CONNECTIONS
        }
    }

    override fun close() {
        thread.shutdown()
        client.close()
        server.close()
    }
}

private fun SdkClient.listTables(plugin: SdkPlugin?): Any {
    val request = ListTablesRequest.builder().apply {
        if (plugin != null) overrideConfiguration { it.addPlugin(plugin) }
    }.build()
    return if (this is DynamoDbClient) listTables(request) else (this as DynamoDbAsyncClient).listTables(request)
}
