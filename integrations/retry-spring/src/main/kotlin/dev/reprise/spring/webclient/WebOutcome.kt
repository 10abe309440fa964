package dev.reprise.spring.webclient

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.ReadOutcome
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.spring.http.CarriedTraces
import dev.reprise.spring.http.HeldBytes
import dev.reprise.spring.http.Wire
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DataBufferUtils
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.web.reactive.function.client.ClientResponse
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.time.Duration

/**
 * A response of WebClient as the classifiers see it: the result of an attempt, also in listeners' events. Its head, and
 * the bytes that were read of its body, stay readable when the response is rejected and released.
 */
public class WebOutcome internal constructor(
    private val response: ClientResponse,
    private val attempt: Attempt,
    private val wire: Wire,
) : ReadOutcome(System.currentTimeMillis()) {
    private var ahead: ReadAhead? = null
    private var isRejected = false

    override val status: Int = response.statusCode().value()

    /** All headers of the response. */
    public val headers: HttpHeaders get() = response.headers().asHttpHeaders()

    override val read: ByteArray? get() = ahead?.bytes

    override val isWhole: Boolean get() = ahead?.isWhole == true

    override fun header(name: String): String? = headers.getFirst(name)

    /** The response for the caller, which leads to the [mark] or trace of its call, and says so if that gave up. [timedOut] is the end of a late body. */
    internal fun delivered(timedOut: (AttemptTimeoutException) -> Throwable, mark: GiveUpMark?): ClientResponse {
        val made = response.mutate()
        if (mark != null) made.headers { CarriedTraces.attach(mark, it) }
        if (ahead != null || isRejected) made.body { limited(it, timedOut) }
        return made.build()
    }

    /** The part of [body] that was read ahead, then the rest, which may take as long as the attempt if the response is rejected. */
    private fun limited(body: Flux<DataBuffer>, timedOut: (AttemptTimeoutException) -> Throwable): Flux<DataBuffer> {
        val whole = (ahead?.body() ?: body).doOnCancel(wire::cut)
        if (attempt.timeLeftNanos == UNLIMITED_NANOS || isWhole || !isRejected) return whole
        return Flux.defer {
            val over = Mono.delay(Duration.ofNanos(attempt.timeLeftNanos))
                .flatMap { Mono.error<Any>(timedOut(AttemptTimeoutException(attempt.number, attempt.limitNanos))) }
            whole.takeUntilOther(over)
        }
    }

    /** Releases the response without reading the rest of its body, which may have no end. */
    internal fun release(): Mono<Void> {
        val ahead = ahead
        if (ahead != null) {
            ahead.cancel()
        } else {
            // A part that is there already may come at once.
            response.bodyToFlux(DataBuffer::class.java).subscribe(DataBufferUtils.releaseConsumer()).dispose()
        }
        if (!isWhole) wire.cut()
        return Mono.empty()
    }

    /**
     * This when as much was read as is to be read of the response to a request with this [method]: [goodBytes] of a good one at
     * most, and none of one that [policy] rejects by its head.
     */
    internal fun readAhead(method: HttpMethod, goodBytes: Int, policy: RetryPolicy): Mono<WebOutcome> {
        isRejected = isRejectedUnread(policy) || isFailure
        val limit = if (isRejected && !isFailure) 0 else HeldBytes.of(headers, status, goodBytes)
        if (limit == 0 || method == HttpMethod.HEAD) return Mono.just(this)
        val body: Flux<DataBuffer> = response.bodyToFlux(DataBuffer::class.java)
        return ReadAhead.of(body, limit, isFailure).map { apply { ahead = it } }
    }
}
