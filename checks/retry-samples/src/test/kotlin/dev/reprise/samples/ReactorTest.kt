package dev.reprise.samples

import dev.reprise.core.CallOptions
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.reactor.mono
import dev.reprise.reactor.outcome
import dev.reprise.reactor.retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import reactor.core.publisher.Mono
import reactor.test.StepVerifier
import reactor.test.scheduler.VirtualTimeScheduler
import java.io.IOException
import java.time.Duration
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.minutes

/** Fails once. */
private class Orders {
    var calls = 0

    fun find(id: Int): Mono<String> = find(id, 0)

    fun find(id: Int, attempt: Int): Mono<String> =
        Mono.fromCallable { if (calls++ == 0) throw IOException("reset") else "order $id, $attempt" }
}

/** The snippets of the Reactor guide, run. */
class ReactorTest :
    FunSpec({
        val id = 7

        test("a mono") {
            val orders = Orders()

            val retrier = Retrier()
            val order = orders.find(id).retry(retrier)

            order.block() shouldBe "order 7, 0"
            orders.calls shouldBe 2
        }

        test("the attempt and the outcome") {
            val retrier = Retrier()
            var orders = Orders()

            val numbered = retrier.mono(CallOptions("find order")) { attempt -> orders.find(id, attempt.number) }
            val outcome = orders.find(id).outcome(retrier)

            numbered.block() shouldBe "order 7, 2"
            outcome.block()!!.attempts shouldBe 1
        }

        test("in virtual time") {
            val orders = Orders()
            val order = "order 7, 0"
            val policy = RetryPolicy { deadline = 5.minutes }

            val retrier = Retrier(policy) { clock = NanoClock { VirtualTimeScheduler.get().now(TimeUnit.NANOSECONDS) } }
            StepVerifier.withVirtualTime { orders.find(id).retry(retrier) }
                .thenAwait(Duration.ofMinutes(1))
                .expectNext(order)
                .verifyComplete()

            orders.calls shouldBe 2
        }
    })
