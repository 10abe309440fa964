package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.ClientInterceptor
import io.grpc.Context
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status
import io.grpc.Status.Code
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.Executor
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds

private class Sabotage : RuntimeException("sabotage")

/** Code of others that throws at a random call of it, if at all. */
private class Saboteur(random: Random) {
    private val victim = if (random.nextInt(3) == 0) null else Place.entries.random(random)
    private var calls = random.nextInt(0, 4)

    fun at(place: Place) {
        if (place == victim && calls-- == 0) throw Sabotage()
    }

    override fun toString(): String = "$victim after $calls calls"

    enum class Place { CLASSIFIER, BACKOFF, LISTENER, NEW_CALL, START, SEND, ON_HEADERS, ON_MESSAGE, ON_CLOSE }
}

/** The channel below, of which any step may throw. */
private class Below(private val saboteur: Saboteur) : ClientInterceptor {
    var attempts = 0

    override fun <Q, R> interceptCall(
        method: MethodDescriptor<Q, R>,
        options: CallOptions,
        next: Channel,
    ): ClientCall<Q, R> {
        attempts++
        saboteur.at(Saboteur.Place.NEW_CALL)
        return object : SimpleForwardingClientCall<Q, R>(next.newCall(method, options)) {
            override fun start(listener: Listener<R>, headers: Metadata) {
                super.start(listener, headers)
                saboteur.at(Saboteur.Place.START)
            }

            override fun sendMessage(message: Q) {
                saboteur.at(Saboteur.Place.SEND)
                super.sendMessage(message)
            }
        }
    }
}

/** Checks the grammar of what a listener is told: headers, then messages, then one close. */
private class Strict(private val saboteur: Saboteur) : ClientCall.Listener<String>() {
    var messages = 0

    @Volatile
    var status: Status? = null
    private var hasHeaders = false

    override fun onHeaders(headers: Metadata) {
        check(!hasHeaders && messages == 0 && status == null) { "headers came late or twice" }
        hasHeaders = true
        saboteur.at(Saboteur.Place.ON_HEADERS)
    }

    override fun onMessage(message: String) {
        check(hasHeaders && status == null) { "a message came before headers or after the end" }
        messages++
        saboteur.at(Saboteur.Place.ON_MESSAGE)
    }

    override fun onClose(status: Status, trailers: Metadata) {
        check(this.status == null) { "closed twice: ${this.status}, $status" }
        this.status = status
        saboteur.at(Saboteur.Place.ON_CLOSE)
    }
}

private class EndingCall(random: Random) {
    private val saboteur = Saboteur(random)
    private val clock = VirtualClock()
    private val method = if (random.nextBoolean()) Methods.READ else Methods.LIST
    private val answers = List(random.nextInt(0, 5)) {
        when (random.nextInt(6)) {
            0 -> Answer.SILENCE

            1 -> Answer.SILENCE.copy(messages = listOf("a"), sendsHeaders = true)

            2 -> Answer.ok("a", "later").let { if (method == Methods.READ) Answer.ok("later") else it }

            3 -> Answer.fail(
                Code.entries.filter { it != Code.OK }.random(random),
            ).copy(sendsHeaders = random.nextBoolean())

            else -> Answer.fail(Code.UNAVAILABLE)
        }.after(if (random.nextBoolean()) 0 else random.nextLong(1, 25))
    }
    private val policy = RetryPolicy {
        backoff = Backoff.custom { _ ->
            saboteur.at(Saboteur.Place.BACKOFF)
            10.milliseconds
        }
        classifier = Classifier.firstOf(
            Classifier.failures { _ ->
                saboteur.at(Saboteur.Place.CLASSIFIER)
                null
            },
            Classifier.results { if (it == "later") dev.reprise.core.Verdict.TRANSIENT else null },
            classifier,
        )
        if (random.nextBoolean()) attemptTimeout = 15.milliseconds
        if (random.nextBoolean()) deadline = 40.milliseconds
        if (random.nextBoolean()) hedge = Hedge.after(random.nextInt(1, 14).milliseconds, maxExtraLoad = 1.0)
    }

    // One that refuses a task breaks gRPC's own calls too.
    private val executor: Executor? = VirtualClock.DIRECT.takeIf { random.nextBoolean() }

    // A silent server and no limit would leave a call open for ever.
    private val cancelsAt = random.nextLong(0, 60_000_000)
    private val cancelsBy = random.nextInt(3)

    fun run() {
        val quotaListener = RetryListener { saboteur.at(Saboteur.Place.LISTENER) }
        val retrier: JavaRetrier = clock.retrier(policy, quotaListener)
        val server = ScriptedServer(*answers.toTypedArray(), timers = clock, clock = clock::nanoTime)
        val listener = Strict(saboteur)
        val below = Below(saboteur)
        val context = Context.current().withCancellation()
        virtualLink(clock, server, below, RetryClientInterceptor(retrier)).use { link ->
            var options = CallOptions.DEFAULT
            if (executor != null) options = options.withExecutor(executor)
            val call = context.call { link.channel.newCall(method, options) }
            clock.after(java.time.Duration.ofNanos(cancelsAt)) {
                if (cancelsBy == 0) call.cancel("enough", null)
                if (cancelsBy == 1) context.cancel(null)
                if (cancelsBy == 2) clock.after(java.time.Duration.ofSeconds(1)) { call.cancel("late", null) }
            }
            runCatching {
                call.start(listener, Metadata())
                call.request(3)
                call.sendMessage("hello")
                call.halfClose()
            }.exceptionOrNull()?.let { if (it !is Sabotage) throw it }
            clock.pass(60_000_000_000)
            // Without an executor some ends come on another thread.
            val end = System.nanoTime() + 60_000_000_000
            while (listener.status == null && System.nanoTime() < end) Thread.onSpinWait()
        }
        val status = checkNotNull(listener.status) { "the call did not end" }
        if (method == Methods.READ && status.isOk) listener.messages shouldBe 1
        if (listener.messages > 1 && method == Methods.READ) error("a unary call got ${listener.messages} messages")
        if (below.attempts <= 1) retrier.retrier().quota!!.run { available shouldBe capacity }
        clock.waiting shouldBe 0
        listenersOf(context) shouldBe 0
        context.cancel(null)
    }

    override fun toString(): String =
        "${method.bareMethodName} $answers limit ${policy.attemptTimeout} ${policy.deadline} sabotage $saboteur, cancelled at $cancelsAt by $cancelsBy"
}

class EndsOnceTest :
    FunSpec({
        test("every call ends once, whatever the code around it does, and leaves nothing behind") {
            val seed = System.getProperty("grpc.seed")?.toLong()?.takeIf { it != 0L } ?: Random.nextLong()
            val runs = System.getProperty("grpc.runs")?.toInt() ?: 500
            // What a saboteur throws from onClose goes to the thread's handler.
            val thread = Thread.currentThread()
            thread.setUncaughtExceptionHandler { _, _ -> }
            repeat(runs) { run ->
                val call = EndingCall(Random(seed + run))
                withClue("-Dgrpc.seed=${seed + run} -Dgrpc.runs=1: $call") { call.run() }
            }
            thread.uncaughtExceptionHandler = null
        }
    })
