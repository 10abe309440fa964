package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Exhaustive
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.collection
import io.kotest.property.exhaustive.enum
import kotlinx.coroutines.runBlocking
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.ForkJoinPool

private val OUTER = RetryPolicy {
    backoff = Backoff.IMMEDIATE
    quota = null
    classifier = Classifier.failures { Verdict.TRANSIENT }
}

/** A retrier around calls of an AWS client. */
private enum class Around(val call: (Retrier, () -> Any?) -> Any?) {
    SUSPEND({ retrier, work -> runBlocking { retrier { work() } } }),
    BLOCKING({ retrier, work -> JavaRetrier.sharing(retrier).call<Any?, Exception> { work() } }),
    FUTURE({ retrier, work ->
        try {
            JavaRetrier.sharing(retrier).callAsync<Any?>({ work() }, ForkJoinPool.commonPool()).get()
        } catch (e: ExecutionException) {
            throw e.cause!!
        }
    }),
}

/** Law of layers: what a client of the AWS SDK gave up on is not retried above it. */
class LayersTest :
    FunSpec({
        test("a retrier around an AWS client makes one attempt of a call that the client gave up on") {
            checkAll(Exhaustive.enum<Around>(), Exhaustive.collection(Face.entries)) { around, face ->
                ScriptedServer(Protocol.JSON, Reply(503)).use { server ->
                    val inner = RepriseRetryStrategy.builder()
                        .policy(
                            RetryPolicy.STANDARD.with {
                                maxAttempts = 2
                                backoff = Backoff.IMMEDIATE
                            },
                        ).build()
                    face.client(Service.DYNAMODB, server, strategy = inner).use { client ->
                        var ended: RetryEvent? = null
                        val retrier = Retrier(OUTER) { listener { ended = it } }
                        val thrown = runCatching {
                            around.call(retrier) { join(Service.DYNAMODB.call(client)) }
                        }.exceptionOrNull()!!
                        withClue("$around around $face: $thrown") {
                            server.seen.size shouldBe 2
                            RetryTrace.of(thrown)?.reason shouldBe StopReason.RETRIED_BELOW
                            ended.shouldBeInstanceOf<RetryEvent.CallGaveUp>().reason shouldBe StopReason.RETRIED_BELOW
                        }
                    }
                }
            }
        }
    })

private fun join(result: Any?): Any? = if (result is CompletableFuture<*>) {
    try {
        result.get()
    } catch (e: ExecutionException) {
        throw e.cause!!
    }
} else {
    result
}
