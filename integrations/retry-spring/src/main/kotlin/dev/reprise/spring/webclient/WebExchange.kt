package dev.reprise.spring.webclient

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.DeadlineException
import dev.reprise.core.NoPermitException
import dev.reprise.core.Repeat
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.firstOfCauses
import dev.reprise.java.internal.HttpFaces
import dev.reprise.reactor.MonoAttempt
import dev.reprise.reactor.outcome
import dev.reprise.spring.http.AttemptRequest
import dev.reprise.spring.http.Hosts
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.NettyExchange
import dev.reprise.spring.http.Wire
import org.springframework.web.reactive.function.client.ClientRequest
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.ExchangeFunction
import org.springframework.web.reactive.function.client.WebClientRequestException
import reactor.core.Disposable
import reactor.core.publisher.Mono
import reactor.core.publisher.SignalType
import reactor.util.context.Context
import java.io.InterruptedIOException
import java.net.SocketException

/** The attempts of one request of a WebClient. Confined to one subscription. */
internal class WebExchange(
    retries: HttpRetries,
    private val asked: ClientRequest,
    private val next: ExchangeFunction,
) : MonoAttempt<WebOutcome>() {
    private val body = WatchedBody.of(asked)
    private val call =
        retries.callOf(asked.method(), asked.url(), asked.headers(), asked.attributes(), seesOpening = body != null)
    private val goodBytes = retries.goodBytes(call)

    /** Sends the request until a response is accepted or the policy gives up. */
    fun response(): Mono<ClientResponse> {
        val named = HttpFaces.setup(call).http(call.options, asked.method().name(), Hosts.nameOf(asked.url()))
        return call.retrier.retrier().outcome(this, named).flatMap(::delivered)
    }

    private fun delivered(end: RetryOutcome<WebOutcome?>): Mono<ClientResponse> {
        val outcome = runCatching { end.getOrThrow() }.getOrElse {
            if (end is RetryOutcome.BadResult) end.value?.release()
            return Mono.error(asSpring(it))
        }
        val timedOut = { timeout: AttemptTimeoutException ->
            asSpring(timeout.apply { end.trace?.let(::addSuppressed) })
        }
        return Mono.justOrEmpty(outcome?.delivered(timedOut, end.trace ?: end.giveUpMark))
    }

    override val kind: ResultKind get() = ResultKind.CONNECTION

    override fun make(attempt: Attempt): Mono<WebOutcome> {
        val wire = Wire()
        val request = ClientRequest.from(asked).attribute(AttemptRequest.INSIDE, wire).httpRequest { sent ->
            asked.httpRequest()?.accept(sent)
            val native: Any = sent.getNativeRequest()
            // Only Reactor Netty's request is one. NettyExchange needs its classes, which may not be there.
            if (native is Disposable) NettyExchange.cutBy(wire, native)
        }
        call.headers.of(attempt).forEach { (name, value) -> request.headers { it[name] = value } }
        if (body != null) request.body(body)
        return next.exchange(request.build())
            .flatMap { WebOutcome(it, attempt, wire).readAhead(asked.method(), goodBytes, call.policy) }
            .doFinally { if (it != SignalType.ON_COMPLETE) wire.cut() }
    }

    override fun discard(result: WebOutcome, context: Context): Mono<Void> = result.release()

    /** A body that was opened may have been sent. */
    override fun mayRepeat(): Boolean =
        body?.isOpened != true || (call.options.repeat == Repeat.SAFE && body.isRepeatable)

    /** Apache's client calls the loss of a connection an interruption, and no thread waits here that could be interrupted. */
    override fun verdictOn(failure: Throwable): Verdict? =
        firstOfCauses(failure) { it.takeIf { it.javaClass == InterruptedIOException::class.java } }
            ?.let { call.policy.classifier.classifyFailure(SocketException("connection lost")) }

    /** WebClient's callers expect this exception if there is no response. */
    private fun asSpring(failure: Throwable): Throwable = when (failure) {
        is AttemptTimeoutException, is DeadlineException, is NoPermitException ->
            WebClientRequestException(failure, asked.method(), asked.url(), asked.headers())

        else -> failure
    }
}
