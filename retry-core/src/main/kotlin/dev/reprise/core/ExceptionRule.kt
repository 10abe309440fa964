package dev.reprise.core

import dev.reprise.core.shell.TypeCache
import java.util.Arrays

/**
 * One row of an [ExceptionTable]: an exception is a failure of [kind] if the name of its class or of a superclass is
 * one of [types]; an [Error], and to be retried the rejection of an open circuit breaker, only if it is named itself. Names are
 * strings, so that a rule can be written down and can name absent classes; a nested class may be named as in an import.
 * Immutable; compares by value.
 */
public class ExceptionRule constructor(
    /** The kind of failure, or `null` for a failure that is final. */
    internal val kind: FailureKind?,
    /** Names of classes, such as `java.io.IOException`; at least one. */
    internal val types: Set<String>,
    /** A text that the exception's message must contain, or `null` for any message. */
    internal val message: String? = null,
    /** Whether the failure proves that nothing reached the server. */
    internal val unsent: Boolean = false,
) {
    internal constructor(kind: FailureKind?, vararg types: String, unsent: Boolean = false) :
        this(kind, LinkedHashSet(Arrays.asList(*types)), message = null, unsent)

    init {
        require(types.isNotEmpty()) { "an exception rule must name a class" }
    }

    /** The row's verdict on each exception class. Cached, because failing clients ask often. */
    private val verdicts = TypeCache { type ->
        val named = nameable(type).find(::names)
        named?.let { if (kind == null) Verdict.Reject else Verdict.Retry(kind, it.simpleName, unsent) }
    }

    /**
     * [type] and its superclasses. An [Error] must be named as one: a row for every throwable does not mean it. Nor does a row that
     * retries mean the rejections of a circuit breaker.
     */
    private fun nameable(type: Class<*>): Sequence<Class<*>> {
        if (kind != null && type.name in NamedErrors.OPEN_BREAKERS) return sequenceOf(type)
        val all = generateSequence(type) { it.superclass }
        return if (Error::class.java.isAssignableFrom(type)) all.takeWhile { it != Throwable::class.java } else all
    }

    /** Whether [types] has [type] itself, by either of a nested class's names. */
    internal fun names(type: Class<*>): Boolean = type.name in types || type.name.replace('$', '.') in types

    /** The verdict, or `null` if this row does not speak of [failure]; its causes are not looked at. */
    internal fun verdict(failure: Throwable): Verdict? {
        val verdict = verdicts[failure.javaClass] ?: return null
        return if (message == null || failure.message?.contains(message) == true) verdict else null
    }

    override fun equals(other: Any?): Boolean =
        other is ExceptionRule && kind == other.kind && types == other.types && message == other.message &&
            unsent == other.unsent

    override fun hashCode(): Int = kind.hashCode() * 31 + types.hashCode()

    override fun toString(): String = buildString {
        append(if (kind == null) "rejects " else "retries ").append(types.joinToString())
        if (message != null) append(" with \"$message\" in the message")
        if (kind != null && kind != FailureKind.TRANSIENT) append(" as ${kind.name.lowercase()}")
        if (unsent) append(", as not sent")
    }

    internal companion object {
        /** Connections that took too long: timeouts that prove that nothing reached the server. Ask it before [TIMEOUTS]. */
        val CONNECT_TIMEOUTS: ExceptionRule =
            ExceptionRule(
                FailureKind.TIMEOUT,
                "java.net.http.HttpConnectTimeoutException",
                "io.ktor.client.network.sockets.ConnectTimeoutException",
                "io.netty.channel.ConnectTimeoutException",
                "org.apache.http.conn.ConnectTimeoutException",
                "org.apache.hc.client5.http.ConnectTimeoutException",
                unsent = true,
            )

        /** Timeouts of a read or a whole request, and of the JVM's own futures and locks. */
        val TIMEOUTS: ExceptionRule =
            ExceptionRule(
                FailureKind.TIMEOUT,
                "java.net.SocketTimeoutException",
                "java.net.http.HttpTimeoutException",
                "io.ktor.client.plugins.HttpRequestTimeoutException",
                "java.util.concurrent.TimeoutException",
            )

        /** Failures that prove that nothing reached the server. */
        val UNSENT: ExceptionRule =
            ExceptionRule(
                FailureKind.TRANSIENT,
                "java.net.ConnectException",
                "java.net.NoRouteToHostException",
                "java.net.UnknownHostException",
                unsent = true,
            )
    }
}
