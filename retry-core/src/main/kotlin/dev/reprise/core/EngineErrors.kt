package dev.reprise.core

import dev.reprise.core.shell.causeOf
import dev.reprise.core.shell.firstOfCauses
import java.io.IOException
import java.net.MalformedURLException
import java.net.URISyntaxException
import java.net.UnknownServiceException
import java.security.cert.CertificateException
import java.util.zip.DataFormatException
import javax.net.ssl.SSLPeerUnverifiedException

/**
 * Classifies exceptions of HTTP clients that [TransportErrors] does not know, or judges differently. An untrusted
 * certificate, or one of another host, is final, since it will be the same the next time. So is a URL that the client must not
 * use, such as OkHttp's `http:` where cleartext is not permitted, and so are too many redirects or requests for credentials,
 * redirects to nowhere and other illegal arguments that an `IOException` wraps, a 204 with a length, and a tunnel that a proxy refuses
 * by 501, a 3xx or a 4xx other than 408, 425 and 429; any other refused tunnel, or one of unknown status, proves that nothing was sent. A response that cannot be read (head, status line, chunk or compression) was
 * damaged on its way, which is transient. A stream that an HTTP/2 server refused was not processed. Looks through up to ten nested causes.
 *
 * Engines' types are named by strings, so that no engine is required. This is the one place for all engines: faces put
 * it right before [TransportErrors] in policies that have those.
 */
public object EngineErrors : NamesRejections {
    /** Made when the first failure is classified. */
    private object Known {
        private val connectFailed = Verdict.Retry(FailureKind.TRANSIENT, "connect failed", unsent = true)
        private val noConnection = Verdict.Retry(FailureKind.TIMEOUT, "no connection in the pool", unsent = true)
        val refusedStream = Verdict.Retry(FailureKind.TRANSIENT, "refused stream", unsent = true)
        private val timedOut = Verdict.Retry(FailureKind.TIMEOUT, "read or write timed out")
        val unreadable = Verdict.Retry(FailureKind.TRANSIENT, "unreadable response")
        private val tooShort = Verdict.Retry(FailureKind.TRANSIENT, "body ended early")

        val byName: Map<String, Verdict> =
            mapOf(
                "io.ktor.client.engine.cio.FailToConnectException" to connectFailed,
                "org.apache.hc.core5.http.ConnectionRequestTimeoutException" to noConnection,
                "org.apache.hc.client5.http.RedirectException" to Verdict.Reject,
                "org.apache.hc.core5.http.HttpException" to unreadable,
                "io.ktor.http.cio.ParserException" to unreadable,
                "io.netty.handler.codec.PrematureChannelClosureException" to unreadable,
                "io.netty.handler.codec.compression.DecompressionException" to unreadable,
                "io.netty.handler.timeout.TimeoutException" to timedOut,
            )

        /**
         * The messages of OkHttp and of the JDK for a stream that the server has not processed (RFC 9113, section 8.7): it refused the
         * stream, allows no more at once, or named a lower one in its GOAWAY.
         */
        val refusals = listOf(
            "stream was reset: REFUSED_STREAM",
            "Received RST_STREAM: Stream not processed",
            "request not processed by peer",
            "too many concurrent streams",
        )

        /**
         * The beginnings of messages of `IOException`s that will be the same the next time. OkHttp and the JDK's clients give up on a
         * server or a proxy that keeps asking for another request, elsewhere or with credentials; CIO has a certificate of
         * another host.
         */
        val finals = listOf(
            "Too many follow-up requests: ",
            "Too many tunnel connections attempted: ",
            "Failed to authenticate with proxy",
            "Received HTTP_PROXY_AUTH (407) code ",
            "Server redirected too many ",
            "too many authentication attempts. ",
            "No credentials provided",
            "WWW-Authenticate header missing ",
            "Proxy-Authenticate header missing ",
            "No server host: ",
            "Invalid redirect",
            "Redirect URI does not specify ",
            "Unroutable protocol scheme: ",
            "unexpected content length header with 204 response",
            "HTTP 204 had non-zero ",
            "HTTP 205 had non-zero ",
        )

        /**
         * What stands before the status with which a proxy refused a tunnel: `CONNECT` is answered before anything is sent. In messages
         * of the JDK's two clients, OkHttp, Apache, Jetty, Netty, and CIO, which does not say the status.
         */
        val tunnels = listOf(
            "Tunnel failed, got: ",
            "Unable to tunnel through proxy. ",
            "Unexpected response code for CONNECT: ",
            "CONNECT refused by proxy: ",
            "Can not establish tunnel connection",
        )
        const val JETTY_CONNECT = "Request[CONNECT "
        const val NETTY_PROXY = "io.netty.handler.proxy.HttpProxyHandler\$HttpProxyConnectException"

        private val noTunnel = Verdict.Retry(FailureKind.TRANSIENT, "no tunnel through the proxy", unsent = true)
        private val busyProxy = Verdict.Retry(FailureKind.THROTTLING, "no tunnel through the proxy", unsent = true)

        /** The verdict on a tunnel that was refused with the status in [message]. */
        fun refusedTunnel(message: String): Verdict =
            when (Regex("(?<![0-9])[0-9]{3}(?![0-9])").find(message)?.value?.toInt()) {
                429 -> busyProxy
                408, 425 -> noTunnel
                501, in 300..499 -> Verdict.Reject
                else -> noTunnel
            }

        /** The beginnings of messages of exceptions that have no type of their own. */
        val byMessage: Map<String, Verdict> =
            mapOf(
                "Content-Length mismatch" to tooShort,
                "GZIP " to unreadable,
                "Illegal digit" to unreadable,
                "HTTP protocol violation: bad response" to unreadable,
                "Status code '-1' " to unreadable,
            )

        /** Where Apache's exceptions are, which are no [IOException]s in its asynchronous client. */
        const val APACHE = "org.apache.hc."

        /** The type of Jetty's failures that have no type of their own. */
        const val JETTY_FAILURE = "org.eclipse.jetty.client.HttpResponseException"

        /**
         * Netty's reader of heads and chunks. It reports malformed input by exceptions that have other meanings elsewhere.
         */
        const val NETTY_DECODER = "io.netty.handler.codec.http.HttpObjectDecoder"
    }

    override fun classifyFailure(failure: Throwable): Verdict? =
        firstOfCauses(failure) { if (isFinal(it)) Verdict.Reject else null }
            ?: firstOfCauses(failure, look = ::verdictOn)

    override val resultScope: ResultScope get() = ResultScope.NONE

    private fun isFinal(failure: Throwable) =
        failure is CertificateException || failure is SSLPeerUnverifiedException ||
            failure is UnknownServiceException || failure is MalformedURLException ||
            failure is URISyntaxException || (failure is IOException && isMistake(causeOf(failure)))

    /** A plain illegal argument. Unreadable responses and unknown hosts have other types, or a verdict of their own. */
    private fun isMistake(e: Throwable?) = e?.javaClass == IllegalArgumentException::class.java && verdictOn(e) == null

    private fun verdictOn(failure: Throwable): Verdict? {
        if (failure is DataFormatException) return Known.unreadable
        val message = failure.message.orEmpty()
        verdictOnMessage(failure, message)?.let { return it }
        generateSequence<Class<*>>(failure.javaClass) { it.superclass }.takeWhile { it != Exception::class.java }
            .firstNotNullOfOrNull { Known.byName[it.name] }?.let { return it }
        val hasNoType = failure is IllegalStateException || failure is IllegalArgumentException
        if (hasNoType && failure.stackTrace.any { it.className == Known.NETTY_DECODER }) return Known.unreadable
        if (!hasNoType && failure.javaClass.name != Known.JETTY_FAILURE) return null
        return Known.byMessage.entries.firstOrNull { message.startsWith(it.key) }?.value
    }

    private fun verdictOnMessage(failure: Throwable, message: String): Verdict? = when {
        message.isEmpty() -> null

        failure.javaClass.name == Known.NETTY_PROXY ->
            Known.refusedTunnel(message.substring(message.indexOf("status: ") + 1))

        Known.JETTY_CONNECT in message -> Known.refusedTunnel(message)

        failure !is IOException && !failure.javaClass.name.startsWith(Known.APACHE) -> null

        message in Known.refusals -> Known.refusedStream

        Known.finals.any { message.startsWith(it) } -> Verdict.Reject

        Known.tunnels.any { message.startsWith(it) } -> Known.refusedTunnel(message)

        else -> null
    }

    /** [classifier] with [rules] right before [TransportErrors]; unchanged if it has none of those, or has [rules]. */
    internal fun addedTo(classifier: Classifier, rules: Classifier = this): Classifier {
        val parts = Classifier.partsOf(classifier)
        val at = parts.indexOf(TransportErrors)
        if (at < 0 || rules in parts) return classifier
        return Classifier.firstOf(*(parts.take(at) + rules + parts.drop(at)).toTypedArray())
    }

    override fun toString(): String = "http engines"
}
