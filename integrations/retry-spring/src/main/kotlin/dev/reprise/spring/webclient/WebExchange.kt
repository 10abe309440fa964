package dev.reprise.spring.webclient

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.DeadlineException
import dev.reprise.core.NoPermitException
import dev.reprise.core.Repeat
import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.reactor.MonoAttempt
import dev.reprise.reactor.outcome
import dev.reprise.spring.http.AttemptRequest
import dev.reprise.spring.http.CarriedTraces
import dev.reprise.spring.http.Hosts
import dev.reprise.spring.http.HttpRetries
import org.springframework.web.reactive.function.client.ClientRequest
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.ExchangeFunction
import org.springframework.web.reactive.function.client.WebClientRequestException
import reactor.core.publisher.Mono
import reactor.util.context.Context

/** The attempts of one request of a WebClient. Confined to one subscription. */
internal class WebExchange(
    retries: HttpRetries,
    private val asked: ClientRequest,
    private val next: ExchangeFunction,
) : MonoAttempt<WebOutcome>() {
    private val retrier = retries.retrierOf(asked.method(), asked.url())
    private val goodBytes = retries.goodBytes(retrier)
    private val headers = retries.headersOf(retrier, asked.headers())
    private val body = WatchedBody.of(asked)
    private val options =
        retries.optionsOf(
            retrier,
            asked.method(),
            asked.headers(),
            asked.attributes(),
            isOneShot = false,
            seesOpening = body != null,
        )

    /** Sends the request until a response is accepted or the policy gives up. */
    fun response(): Mono<ClientResponse> {
        val kotlin = retrier.retrier.retrier()
        val named = kotlin.setup.http(options, asked.method().name(), Hosts.nameOf(asked.url()))
        return kotlin.outcome(this, named).flatMap(::delivered)
    }

    private fun delivered(end: RetryOutcome<WebOutcome?>): Mono<ClientResponse> {
        val outcome =
            try {
                end.getOrThrow()
            } catch (e: Throwable) {
                if (end is RetryOutcome.BadResult) end.value?.release()
                return Mono.error(asSpring(e))
            }
        val timedOut = { timeout: AttemptTimeoutException ->
            asSpring(timeout.apply { end.trace?.let(::addSuppressed) })
        }
        return Mono.justOrEmpty(
            outcome?.delivered(timedOut) { headers ->
                end.giveUpMark?.let {
                    headers[SHOULD_RETRY] =
                        CarriedTraces.valueFor(it)
                }
            },
        )
    }

    override val kind: ResultKind get() = ResultKind.CONNECTION

    override fun make(attempt: Attempt): Mono<WebOutcome> {
        val request = ClientRequest.from(asked).attribute(AttemptRequest.INSIDE, true)
        headers.of(attempt).forEach { (name, value) -> request.headers { it[name] = value } }
        if (body != null) request.body(body)
        return next.exchange(request.build()).flatMap { WebOutcome.of(it, asked.method(), goodBytes, attempt) }
    }

    override fun discard(result: WebOutcome, context: Context): Mono<Void> = result.release()

    /** A body that was opened may have been sent. */
    override fun mayRepeat(): Boolean = body?.isOpened != true || (options.repeat == Repeat.SAFE && body.isRepeatable)

    /** WebClient's callers expect this exception if there is no response. */
    private fun asSpring(failure: Throwable): Throwable = when (failure) {
        is AttemptTimeoutException, is DeadlineException, is NoPermitException ->
            WebClientRequestException(failure, asked.method(), asked.url(), asked.headers())

        else -> failure
    }
}
