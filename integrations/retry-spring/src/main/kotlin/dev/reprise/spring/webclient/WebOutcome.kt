package dev.reprise.spring.webclient

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.spring.http.HeldBytes
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
public class WebOutcome private constructor(
    private val response: ClientResponse,
    private val read: ReadAhead?,
    private val attempt: Attempt,
) : HttpOutcome() {
    override val status: Int = response.statusCode().value()

    /** All headers of the response. */
    public val headers: HttpHeaders get() = response.headers().asHttpHeaders()

    override val receivedAtEpochMillis: Long = System.currentTimeMillis()

    override val errorCode: String? get() = ErrorCodes.of(this, read?.bytes)

    override val errorMessage: String? get() = ErrorCodes.messageOf(this, read?.bytes)

    /** The whole body as it was read. `null` if it is longer than the bytes that are read within the attempt. */
    override val body: ByteArray? get() = read?.takeIf { it.isWhole }?.bytes?.copyOf()

    override fun header(name: String): String? = headers.getFirst(name)

    /** The response for the caller, with [headers] changed. [timedOut] makes the exception of one whose body takes too long. */
    internal fun delivered(
        timedOut: (AttemptTimeoutException) -> Throwable,
        headers: (HttpHeaders) -> Unit,
    ): ClientResponse {
        val made = response.mutate().headers(headers)
        if (read != null) made.body { limited(read, timedOut) }
        return made.build()
    }

    /** The part that was [read], then the rest, which may take as long as the attempt if the response is a failure. */
    private fun limited(read: ReadAhead, timedOut: (AttemptTimeoutException) -> Throwable): Flux<DataBuffer> {
        if (attempt.timeLeftNanos == UNLIMITED_NANOS || read.isWhole || !HeldBytes.isFailure(status)) return read.body()
        return Flux.defer {
            val left = attempt.timeLeftNanos
            val over = Mono.delay(Duration.ofNanos(left))
                .flatMap { Mono.error<Any>(timedOut(AttemptTimeoutException(attempt.number, left))) }
            read.body().takeUntilOther(over)
        }
    }

    /** Releases the response without reading the rest of its body, which may have no end. */
    internal fun release(): Mono<Void> {
        if (read != null) {
            read.cancel()
        } else {
            // A part that is there already may come at once.
            response.bodyToFlux(DataBuffer::class.java).subscribe(DataBufferUtils.releaseConsumer()).dispose()
        }
        return Mono.empty()
    }

    internal companion object {
        /** Reads what is to be read of [response] to a request with this [method], [goodBytes] of a good one at most. */
        fun of(response: ClientResponse, method: HttpMethod, goodBytes: Int, attempt: Attempt): Mono<WebOutcome> {
            val status = response.statusCode().value()
            val limit = HeldBytes.of(response.headers().asHttpHeaders(), status, goodBytes)
            if (limit == 0 || method == HttpMethod.HEAD) return Mono.just(WebOutcome(response, null, attempt))
            val body: Flux<DataBuffer> = response.bodyToFlux(DataBuffer::class.java)
            return ReadAhead.of(body, limit, HeldBytes.isFailure(status)).map { WebOutcome(response, it, attempt) }
        }
    }
}
