package dev.reprise.aws.kotlin

import aws.sdk.kotlin.runtime.auth.credentials.StaticCredentialsProvider
import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.smithy.kotlin.runtime.auth.awscredentials.Credentials
import aws.smithy.kotlin.runtime.net.url.Url
import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.minutes
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

/** The real client, against [server], with credentials that nothing checks. */
fun dynamo(server: ScriptedServer, configure: DynamoDbClient.Config.Builder.() -> Unit): DynamoDbClient =
    DynamoDbClient {
        region = "us-east-1"
        endpointUrl = Url.parse(server.url)
        credentialsProvider = StaticCredentialsProvider(Credentials("id", "secret"))
        configure()
    }

fun dynamo(server: ScriptedServer, strategy: RetryStrategy): DynamoDbClient =
    dynamo(server) { retryStrategy = strategy }

/** A policy such as a client may have, that judges by [evaluate]. */
fun sdkPolicy(evaluate: (Result<Any?>) -> RetryDirective) = object : SdkRetryPolicy<Any?> {
    override fun evaluate(result: Result<Any?>): RetryDirective = evaluate(result)
}

/** Runs a test with real clients, which must not hang. */
fun <T> inTime(block: suspend () -> T): T = runBlocking(Dispatchers.Default) { withTimeout(1.minutes) { block() } }

/** Hears events, and keeps waits that it does not wait. */
class Notes : RetryListener {
    val events = ConcurrentLinkedQueue<RetryEvent>()
    val waits = ConcurrentLinkedQueue<Long>()

    override fun onEvent(event: RetryEvent) {
        events += event
    }

    /** A retrier of [policy] that draws [u] each time, tells these notes, and does not wait. */
    fun retrier(policy: RetryPolicy, quota: Quota? = policy.quota?.newQuota(Retrier.SYSTEM_CLOCK), u: Double = 1.0) =
        Retrier(policy) {
            this.quota = quota
            listener(this@Notes)
            draws = RandomSource { u }
            waiter = Waiter { waits += it.inWholeNanoseconds }
        }

    inline fun <reified E : RetryEvent> all(): List<E> = events.filterIsInstance<E>()
}
