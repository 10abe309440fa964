package dev.reprise.conformance.laws

import dev.reprise.core.CallOptions
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.scriptedEngine
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.utils.io.ByteReadChannel
import java.io.ByteArrayInputStream
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.nio.ByteBuffer
import java.util.concurrent.Flow

/** Reads a body to its end, as a connection does. */
private object Reader : Flow.Subscriber<ByteBuffer> {
    override fun onSubscribe(subscription: Flow.Subscription) = subscription.request(Long.MAX_VALUE)

    override fun onNext(item: ByteBuffer) = Unit

    override fun onError(throwable: Throwable) = Unit

    override fun onComplete() = Unit
}

private val BUSY_RESPONSE = ScriptedResponse.status(503, "busy")

private fun request(): HttpRequest = HttpRequest.newBuilder(URI("http://service.test/"))
    .PUT(BodyPublishers.ofInputStream { ByteArrayInputStream(byteArrayOf(1)) })
    .build()

private class Sent(policy: RetryPolicy = RetryPolicy.STANDARD) {
    val trial = Trial(policy)
    var requests = 0

    val http: RetryingHttpClient = RetryingHttpClient
        .around(
            ScriptedHttpClient(trial.time) {
                requests++
                it.bodyPublisher().get().subscribe(Reader)
                BUSY_RESPONSE
            },
        )
        .retriers { JavaRetrier.sharing(trial.retrier, trial.time, trial.time.executor) }
        .options { CallOptions("put") }
        .build()

    val ktor = HttpClient(
        scriptedEngine(trial.time) {
            requests++
            BUSY_RESPONSE
        },
    ) { install(Retry) { retriers = RetrierCache(1) { trial.retrier } } }
}

/** Law 1 over HTTP: a body that can be sent once is sent once, also where a response is rejected. */
class OneShotLawTest :
    FunSpec({
        fun once(sent: Sent, send: (Sent) -> Int) {
            send(sent) shouldBe 503
            sent.requests shouldBe 1
            sent.trial.recorder.call.reason shouldBe StopReason.NOT_REPLAYABLE
        }

        test("a rejected response to a body that was sent is the last one: java.net.http") {
            once(Sent()) { it.http.send(request(), BodyHandlers.ofString()).statusCode() }
        }

        test("a rejected response to a body that was sent is the last one: java.net.http, as a future") {
            once(Sent()) { it.trial.time.join(it.http.sendAsync(request(), BodyHandlers.ofString())).statusCode() }
        }

        test("a rejected response to a body that was sent is the last one: Ktor") {
            once(Sent()) { sent ->
                sent.trial.time.run {
                    sent.ktor.put("http://service.test/") { setBody(ByteReadChannel(byteArrayOf(1))) }.status.value
                }
            }
        }
    })
