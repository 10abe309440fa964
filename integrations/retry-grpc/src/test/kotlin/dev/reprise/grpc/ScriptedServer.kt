package dev.reprise.grpc

import io.grpc.Context
import io.grpc.Deadline
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.ServerCall
import io.grpc.ServerCallHandler
import io.grpc.ServerServiceDefinition
import io.grpc.ServiceDescriptor
import io.grpc.Status
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.TimeUnit

/** What a server does with one request after [millis]: sends headers if it says so, [messages], and a status unless it stays silent. */
internal data class Answer(
    val status: Status?,
    val messages: List<String> = emptyList(),
    val trailers: Map<String, String> = emptyMap(),
    val sendsHeaders: Boolean = messages.isNotEmpty(),
    val millis: Long = 0,
) {
    fun after(millis: Long) = copy(millis = millis)

    fun trailers(): Metadata = Metadata().also { metadata ->
        trailers.forEach { (key, value) -> metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value) }
    }

    companion object {
        fun ok(vararg messages: String) = Answer(Status.OK, messages.toList())

        fun fail(code: Status.Code, vararg trailers: Pair<String, String>) =
            Answer(code.toStatus().withDescription("as scripted"), trailers = trailers.toMap())

        val SILENCE = Answer(null)
    }
}

/** A request as the server saw it. */
internal class Seen(
    val method: String,
    val previousAttempts: List<String>,
    val message: String?,
    val deadline: Deadline?,
    val headers: Metadata,
    val atNanos: Long,
)

/** Answers each request as the next entry of a script says, and "ok" when the script has ended. */
internal class ScriptedServer(
    vararg answers: Answer,
    private val timers: ScheduledExecutorService? = null,
    private val clock: () -> Long = System::nanoTime,
) {
    private val script = ConcurrentLinkedQueue(answers.toList())
    private val requests = ConcurrentLinkedQueue<Seen>()
    val seen: List<Seen> get() = requests.toList()
    private val cancels = ConcurrentLinkedQueue<String>()

    /** The methods of the requests that were read, and cancelled. */
    val cancelled: List<String> get() = cancels.toList()

    /**
     * Waits, for ten seconds at most, until [count] requests are cancelled, and returns those that are. A client learns of its end
     * before the server does, which gRPC tells on a thread of its own.
     */
    fun awaitCancelled(count: Int): List<String> {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (cancels.size < count && System.nanoTime() < end) Thread.sleep(1)
        return cancelled
    }

    fun then(vararg answers: Answer) = apply { script.addAll(answers) }

    fun service(): ServerServiceDefinition {
        val methods = Methods.ALL
        val service = ServiceDescriptor.newBuilder(Methods.SERVICE).also { methods.forEach(it::addMethod) }.build()
        val builder = ServerServiceDefinition.builder(service)
        methods.forEach { builder.addMethod(it, handler(it)) }
        return builder.build()
    }

    private fun handler(method: MethodDescriptor<String, String>) = ServerCallHandler<String, String> { call, headers ->
        call.request(Int.MAX_VALUE)
        object : ServerCall.Listener<String>() {
            private val messages = mutableListOf<String>()
            private var isRead = false
            private val deadline = Context.current().deadline

            override fun onMessage(message: String) {
                messages += message
            }

            override fun onHalfClose() {
                isRead = true
                val previous = headers.getAll(Pushback.PREVIOUS_ATTEMPTS)?.toList().orEmpty()
                val message = messages.joinToString(" ").ifEmpty { null }
                requests += Seen(method.bareMethodName!!, previous, message, deadline, headers, clock())
                val answer = script.poll() ?: Answer.ok("ok")
                if (answer.millis == 0L) return call.answer(answer)
                timers!!.schedule({ if (!call.isCancelled) call.answer(answer) }, answer.millis, TimeUnit.MILLISECONDS)
            }

            override fun onCancel() {
                if (isRead) cancels += method.bareMethodName!!
            }
        }
    }

    private fun ServerCall<String, String>.answer(answer: Answer) {
        if (answer.sendsHeaders) sendHeaders(Metadata())
        answer.messages.forEach(::sendMessage)
        answer.status?.let { close(it, answer.trailers()) }
    }
}
