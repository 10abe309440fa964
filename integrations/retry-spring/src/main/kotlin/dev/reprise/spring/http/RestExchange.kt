package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.HttpFaces
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException
import java.io.InterruptedIOException
import java.net.URI
import java.time.Duration
import java.util.concurrent.CancellationException

/** The attempts of one request on the thread that sends it. Confined to that call. */
internal abstract class RestExchange(
    retries: HttpRetries,
    private val call: HttpCall<JavaRetrier>,
    private val method: HttpMethod,
    private val uri: URI,
) : BlockingAttempt<RestOutcome, IOException> {
    private val goodBytes = retries.goodBytes(call)
    private var last: Attempt? = null

    /** Sends one attempt, with the headers [marks]. */
    abstract fun send(marks: Map<String, String>): ClientHttpResponse

    /** Makes attempts until a response is accepted or the policy gives up. */
    @Throws(IOException::class)
    fun execute(): ClientHttpResponse {
        HttpFaces.setup(call).warnOfHedge("RestClient sends no copies")
        val end =
            try {
                HttpFaces.named(call, method.name(), Hosts.nameOf(uri)).outcomeWithAttempt(this)
            } catch (e: CancellationException) {
                throw InterruptedIOException("interrupted").also { it.initCause(e) }
            }
        val outcome = HttpFaces.result(end) { it.close() }
        return RetriedResponse(outcome, RetryReport(end), limitOf(outcome, end.trace))
    }

    /** Bounds the rest of a rejected body by the time that the last attempt may take. */
    private fun limitOf(outcome: RestOutcome, trace: RetryTrace?): ExchangeLimit? {
        if (!outcome.isRejected || outcome.held?.isWhole == true) return null
        return ExchangeLimit.ofRest(last, call.retrier.waiter(), trace, outcome.wire::cut, outcome::close)
    }

    /** Its attempts share the state of this object. */
    override fun mayRunTwice(): Boolean = false

    override fun make(attempt: Attempt): RestOutcome {
        last = attempt
        val wire = Wire()
        val limit = limitOf(attempt, wire)
        try {
            val response = wire.sending { send(call.headers.of(attempt)) }
            if (wire.isUncuttable) warn(UNCUTTABLE)
            val outcome = RestOutcome(response, method, goodBytes, call.policy, wire, limit)
            limit?.close()
            if (limit?.isOver == true && outcome.held?.isWhole != true) throw limit.timeout()
            return outcome
        } catch (e: Throwable) {
            limit?.close()
            wire.drop()
            throw if (limit?.isOver == true) limit.timeout() else e
        }
    }

    /** Cuts [wire] when [attempt] has no time left, and warns if the attempt goes on a second later. */
    private fun limitOf(attempt: Attempt, wire: Wire): ExchangeLimit? {
        var limit: ExchangeLimit? = null
        limit = ExchangeLimit.of(attempt, call.retrier.waiter(), null) {
            // Before the cut, which may wait for a read that does not end.
            JavaWaiter.SYSTEM.after(PATIENCE) {
                if (limit?.isClosed == false) Elsewhere.run { warn("RestClient to ${Hosts.keyOf(uri)}: $UNFELT") }
            }
            wire.cut()
        }
        return limit
    }

    private fun warn(warning: String) = HttpFaces.setup(call).warn(warning)

    override fun discard(result: RestOutcome): Unit = result.close()

    override fun releasesBeforeWait(): Boolean = true
}

/** What a client takes at most to end an exchange that is cut. */
private val PATIENCE: Duration = Duration.ofSeconds(1)

private const val UNCUTTABLE =
    "RestClient over Apache HttpClient: a response that is rejected or takes too long is read to its end, " +
        "and a write outlives every limit. Let " +
        "RetryingRequestFactory(HttpComponentsClientHttpRequestFactory(…)) retry in place of the " +
        "interceptor, or take the factory of Spring Boot's " +
        "ClientHttpRequestFactoryBuilder"

private const val UNFELT =
    "an attempt still goes on a second after its time is over. The client below seems to be one that " +
        "cannot be cut, as HttpURLConnection is, or the JDK's below a factory or interceptor that reads bodies: " +
        "set a read timeout, or take another client"
