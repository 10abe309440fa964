@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.asNanoClock
import io.kotest.core.spec.style.FunSpec
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockEngineConfig
import io.ktor.client.engine.mock.MockRequestHandleScope
import io.ktor.client.engine.mock.respond
import io.ktor.client.engine.mock.toByteArray
import io.ktor.client.request.HttpRequestData
import io.ktor.client.request.HttpResponseData
import io.ktor.http.HttpStatusCode
import io.ktor.http.headersOf
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/** A test in virtual time. */
internal fun FunSpec.virtual(name: String, block: suspend TestScope.() -> Unit) = test(name) { runTest { block() } }

/** What a scripted server does with one request. */
internal typealias Handler = suspend MockRequestHandleScope.(HttpRequestData) -> HttpResponseData

/** A server that answers with [statuses] in turn, the last one for ever. */
internal fun answering(vararg statuses: Int): Handler = scripted(*statuses.map { status(it) }.toTypedArray())

/** A server that does [steps] in turn, the last one for ever. */
internal fun scripted(vararg steps: Handler): Handler {
    var next = 0
    return { request -> steps[minOf(next++, steps.lastIndex)](this, request) }
}

/** A server that reads the whole body of each request, adds it to [sent], and then does as [answers] says. */
internal fun reading(answers: Handler, sent: MutableList<List<Byte>> = mutableListOf()): Handler = { request ->
    sent += request.body.toByteArray().toList()
    answers(this, request)
}

internal fun status(code: Int, body: String = "", vararg headers: Pair<String, String>): Handler = {
    respond(
        body,
        HttpStatusCode.fromValue(code),
        headersOf(
            *headers.map {
                it.first to listOf(it.second)
            }.toTypedArray(),
        ),
    )
}

internal fun failing(failure: () -> Throwable): Handler = { throw failure() }

/** A client over a scripted server, in the virtual time of this test; every draw is the ceiling. */
internal class MockClient(
    scope: TestScope,
    policy: RetryPolicy = RetryPolicy.HTTP,
    quota: RetryQuota? = policy.quota?.let { RetryQuota(it.capacity) },
    draw: Double = 1.0,
    workers: CoroutineDispatcher = StandardTestDispatcher(scope.testScheduler),
    handler: Handler,
    before: HttpClientConfig<MockEngineConfig>.() -> Unit = {},
    after: HttpClientConfig<MockEngineConfig>.() -> Unit = {},
    configure: RetryPluginConfig.() -> Unit = {},
) {
    val requests = mutableListOf<HttpRequestData>()
    val events = mutableListOf<RetryEvent>()
    private val clock = scope.testTimeSource.asNanoClock()

    val retrier = Retrier.builder(policy).quota(quota).listener { events += it }.clock(clock).draws { draw }.build()

    val http = HttpClient(MockEngine) {
        engine {
            dispatcher = workers
            addHandler { request ->
                requests += request
                handler(request)
            }
        }
        before()
        install(Retry) {
            retriers = RetrierCache(1) { retrier }
            configure()
        }
        after()
    }

    /** The waits before the retries so far. */
    val delays: List<Duration>
        get() = events.filterIsInstance<RetryEvent.RetryScheduled>().map { it.delayNanos.nanoseconds }
}
