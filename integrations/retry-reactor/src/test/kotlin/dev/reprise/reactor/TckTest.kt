package dev.reprise.reactor

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import org.reactivestreams.Publisher
import org.reactivestreams.tck.PublisherVerification
import org.reactivestreams.tck.TestEnvironment
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.io.IOException

private const val PATIENCE_MILLIS = 1_000L
private const val SILENCE_MILLIS = 50L

private val ENVIRONMENT = TestEnvironment(PATIENCE_MILLIS, SILENCE_MILLIS)
private val RETRIER = Retrier(
    RetryPolicy {
        backoff = Backoff.IMMEDIATE
        quota = null
    },
)

/** The rules of Reactive Streams for a flux whose first two attempts fail. */
class FluxTckTest : PublisherVerification<Int>(ENVIRONMENT) {
    override fun createPublisher(elements: Long): Publisher<Int> = RETRIER.flux { attempt ->
        val all = if (elements > Int.MAX_VALUE) {
            Flux.range(0, Int.MAX_VALUE).repeat()
        } else {
            Flux.range(0, elements.toInt())
        }
        if (attempt.number < 3) Flux.error(IOException("reset")) else all
    }

    override fun createFailedPublisher(): Publisher<Int> =
        Flux.error<Int>(IllegalStateException("final")).retry(RETRIER)
}

/** The same under a deadline, whose timer may signal too. */
class TimedFluxTckTest : PublisherVerification<Int>(ENVIRONMENT) {
    private val timed = RETRIER.with(RETRIER.policy.with { deadline = kotlin.time.Duration.parse("1h") })

    override fun createPublisher(elements: Long): Publisher<Int> =
        Flux.range(0, elements.coerceAtMost(Int.MAX_VALUE.toLong()).toInt()).retry(timed)

    override fun createFailedPublisher(): Publisher<Int> = Flux.error<Int>(IllegalStateException("final")).retry(timed)
}

/** The rules of Reactive Streams for a mono whose first two attempts fail. */
class MonoTckTest : PublisherVerification<Int>(ENVIRONMENT) {
    override fun maxElementsFromPublisher(): Long = 1

    override fun createPublisher(elements: Long): Publisher<Int> = RETRIER.mono { attempt ->
        if (attempt.number < 3) Mono.error<Int>(IOException("reset")) else Mono.just(1).filter { elements > 0 }
    }

    override fun createFailedPublisher(): Publisher<Int> =
        Mono.error<Int>(IllegalStateException("final")).retry(RETRIER)
}
