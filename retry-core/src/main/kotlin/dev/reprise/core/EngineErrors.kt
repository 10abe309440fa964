package dev.reprise.core

import java.io.IOException
import java.net.UnknownServiceException
import java.security.cert.CertificateException
import java.util.zip.DataFormatException
import javax.net.ssl.SSLPeerUnverifiedException

/**
 * Classifies exceptions of HTTP clients that [TransportErrors] does not know, or judges differently. An untrusted
 * certificate, or one of another host, is final, since it will be the same the next time. So is a URL that the client must not
 * use, such as OkHttp's `http:` where cleartext is not permitted, and so are too many redirects or requests for credentials. A
 * response that cannot be read (head, status line, chunk or compression) was damaged on its way, which is transient. A stream that
 * an HTTP/2 server refused was not processed. Looks through up to ten nested causes.
 *
 * Engines' types are named by strings, so that no engine is required. This is the one place for all engines: faces put
 * it right before [TransportErrors] in policies that have those.
 */
public object EngineErrors : Classifier {
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
                "io.netty.handler.timeout.TimeoutException" to timedOut,
            )

        /**
         * The messages of OkHttp and of the JDK for a stream that the server has not processed (RFC 9113, section 8.7): it refused the
         * stream, or named a lower one in its GOAWAY.
         */
        val refusals =
            setOf(
                "stream was reset: REFUSED_STREAM",
                "Received RST_STREAM: Stream not processed",
                "request not processed by peer",
            )

        /**
         * The beginnings of messages of `IOException`s that will be the same the next time. OkHttp and the JDK's clients give up on a
         * server or a proxy that keeps asking for another request, elsewhere or with credentials; CIO has a certificate of
         * another host.
         */
        val finals =
            listOf(
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
            )

        /** The beginnings of messages of exceptions that have no type of their own. */
        val byMessage: Map<String, Verdict> =
            mapOf(
                "Content-Length mismatch" to tooShort,
                "GZIP " to unreadable,
                "Illegal digit" to unreadable,
            )

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
        failure is CertificateException || failure is SSLPeerUnverifiedException || failure is UnknownServiceException

    private fun verdictOn(failure: Throwable): Verdict? {
        if (failure is DataFormatException) return Known.unreadable
        if (failure is IOException) verdictOnMessage(failure.message.orEmpty())?.let { return it }
        var type: Class<*>? = failure.javaClass
        while (type != null && type != Exception::class.java) {
            Known.byName[type.name]?.let { return it }
            type = type.superclass
        }
        if (failure !is IllegalStateException && failure !is IllegalArgumentException) return null
        if (failure.stackTrace.any { it.className == Known.NETTY_DECODER }) return Known.unreadable
        val message = failure.message ?: return null
        return Known.byMessage.entries.firstOrNull { message.startsWith(it.key) }?.value
    }

    /** Java's own test: Kotlin's brings the classes of `kotlin.text` to the first failure of a program. */
    @Suppress("PLATFORM_CLASS_MAPPED_TO_KOTLIN")
    private fun verdictOnMessage(message: String): Verdict? = when {
        message in Known.refusals -> Known.refusedStream
        Known.finals.any { (message as java.lang.String).startsWith(it) } -> Verdict.Reject
        else -> null
    }

    /** This [classifier] with these rules right before [TransportErrors]; unchanged if it has none of those, or has these. */
    @JvmStatic
    public fun addedTo(classifier: Classifier): Classifier = addedTo(classifier, this)

    /** [classifier] with [rules] right before [TransportErrors]; unchanged if it has none of those, or has [rules]. */
    @JvmStatic
    public fun addedTo(classifier: Classifier, rules: Classifier): Classifier {
        val parts = Classifier.partsOf(classifier)
        val at = parts.indexOf(TransportErrors)
        if (at < 0 || rules in parts) return classifier
        return Classifier.firstOf(*(parts.take(at) + rules + parts.drop(at)).toTypedArray())
    }

    override fun toString(): String = "http engines"
}
