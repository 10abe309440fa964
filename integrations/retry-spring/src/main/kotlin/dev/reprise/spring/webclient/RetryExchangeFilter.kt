package dev.reprise.spring.webclient

import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.http.AttemptRequest
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.observation.belowSubscriber
import org.springframework.web.reactive.function.client.ClientRequest
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.ExchangeFilterFunction
import org.springframework.web.reactive.function.client.ExchangeFunction
import reactor.core.publisher.Mono
import java.util.function.Consumer

/**
 * Retries the requests of a WebClient.
 *
 * Filters that are added later stand inside and see each attempt; those before it see the call once. Idempotent methods are
 * repeated, and requests with an idempotency key or [RetryAttributes.IDEMPOTENT][dev.reprise.spring.http.RetryAttributes]; any
 * other only after a failure that proves that nothing was sent. A body that is one value is sent again. A body that is a stream
 * (a `Flux`, a `Resource`) is sent once, unless the request says [REPEATABLE_BODY].
 *
 * A rejected response is released before the wait. Bodies of up to 1 MiB are read within the attempt, so that one that breaks
 * off is retried; see [heldBytes][dev.reprise.spring.http.HttpRetriesBuilder.heldBytes]. The response on which a call that
 * could have retried gave up has the header `x-should-retry: false`. Thread-safe.
 */
public class RetryExchangeFilter(private val retries: HttpRetries) : ExchangeFilterFunction {
    /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
    public constructor() : this(HttpRetries.standard())

    /** All requests are [retrier]'s: one quota and one send rate for all hosts. */
    public constructor(retrier: JavaRetrier) : this(HttpRetries.of(retrier))

    /**
     * Sends [request] until a response is accepted or the policy gives up, with the waits on `Schedulers.parallel()`.
     * Cancelling ends the call at once. Fails with the last attempt's failure, or with an [IllegalStateException] if
     * the request passes a second filter of this library.
     */
    override fun filter(request: ClientRequest, next: ExchangeFunction): Mono<ClientResponse> = Mono.defer {
        AttemptRequest.checkOutside(request.attributes())
        WebExchange(retries, request, next).response()
    }.belowSubscriber()

    public companion object {
        /** The name of the attribute that [REPEATABLE_BODY] sets. */
        internal const val BODY = "dev.reprise.body"

        /** The body of the request gives the same each time that it is subscribed to, as a `Resource` of a file does. */
        @JvmField
        public val REPEATABLE_BODY: Consumer<MutableMap<String, Any>> = Consumer { it[BODY] = true }
    }
}
