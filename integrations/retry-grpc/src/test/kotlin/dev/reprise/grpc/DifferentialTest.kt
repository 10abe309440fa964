package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import io.grpc.CallOptions
import io.grpc.Status.Code
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds

/** What a call did: its requests, the waits between them in ns, and its end. */
private class Course(server: ScriptedServer, call: Collected<String>) {
    val requests = server.seen.map { it.previousAttempts to it.message }
    val waits = server.seen.zipWithNext { a, b -> b.atNanos - a.atNanos }
    val end = call.closed.get().run { code to description }
    val told = call.told.toList()
    val messages = call.messages.toList()
    val trailers = call.trailers!!.keys().filter { it != "content-type" }
}

/** One script, played to grpc-java's own retries by service config and to the interceptor. */
private class Script(random: Random) {
    val policy = RetryPolicy {
        maxAttempts = random.nextInt(2, 6)
        val base = random.nextInt(1, 200).milliseconds
        backoff = Backoff.exponential(
            base = base,
            factor = 1 + random.nextInt(0, 9) / 4.0,
            cap = base * random.nextInt(1, 20),
            jitter = Jitter.NONE,
        )
        serverDelays = emptyList()
        quota = null
        if (random.nextInt(4) == 0) classifier = GrpcErrors.on(Code.ABORTED) or classifier
    }
    val method = if (random.nextBoolean()) Methods.READ else Methods.LIST
    val answers = List(random.nextInt(0, 7)) { answer(random) }

    private fun answer(random: Random): Answer = when (random.nextInt(12)) {
        0 -> Answer.fail(Code.entries.filter { it != Code.OK }.random(random))

        // The last message of a stream may be followed by any end.
        1 -> if (method == Methods.LIST) {
            Answer.fail(Code.UNAVAILABLE).copy(messages = listOf("a", "b")).withHeaders()
        } else {
            Answer.ok("a")
        }

        2 -> Answer.ok("a")

        3 -> Answer.fail(Code.ABORTED)

        4 -> Answer.fail(Code.RESOURCE_EXHAUSTED)

        5, 6 -> Answer.fail(Code.UNAVAILABLE, PUSHBACK to random.nextInt(0, 60_000).toString())

        7 -> Answer.fail(
            Code.UNAVAILABLE,
            PUSHBACK to listOf("-1", "-99", "", "x", "1e3", " 5", "0x1", "2147483648").random(random),
        )

        else -> Answer.fail(Code.UNAVAILABLE, "note" to "n")
    }

    private fun Answer.withHeaders() = copy(sendsHeaders = true)

    fun play(byInterceptor: Boolean): Course {
        val clock = VirtualClock()
        val server = ScriptedServer(*answers.toTypedArray(), clock = clock::nanoTime)
        val interceptors = if (byInterceptor) arrayOf(RetryClientInterceptor(clock.retrier(policy))) else emptyArray()
        virtualLink(clock, server, *interceptors) {
            if (!byInterceptor) {
                enableRetry().maxRetryAttempts(5)
                defaultServiceConfig(policy.toGrpcServiceConfig().config)
            }
        }.use { link ->
            val call = link.channel.newCall(method, CallOptions.DEFAULT).begin()
            clock.until { call.closed.isDone }
            return Course(server, call)
        }
    }

    /** Whether the wait after the request of this [index] is set by the server. */
    fun isPushed(index: Int): Boolean = PUSHBACK in answers[index].trailers

    override fun toString(): String =
        "${method.bareMethodName} ${policy.maxAttempts} attempts ${policy.backoff} $answers"

    private companion object {
        const val PUSHBACK = "grpc-retry-pushback-ms"
    }
}

/** grpc-java's own retries as a peer. Its timers run in the same virtual time, so thousands of scripts take seconds. */
class DifferentialTest :
    FunSpec({
        test("the interceptor makes the requests that grpc-java makes under the same policy, after the same waits") {
            val seed = System.getProperty("grpc.seed")?.toLong()?.takeIf { it != 0L } ?: Random.nextLong()
            val runs = System.getProperty("grpc.runs")?.toInt() ?: 400
            var retried = 0
            repeat(runs) { run ->
                val script = Script(Random(seed + run))
                withClue("-Dgrpc.seed=${seed + run} -Dgrpc.runs=1: $script") {
                    val own = script.play(byInterceptor = false)
                    val ours = script.play(byInterceptor = true)
                    ours.requests shouldBe own.requests
                    ours.end shouldBe own.end
                    ours.told shouldBe own.told
                    ours.messages shouldBe own.messages
                    ours.trailers shouldBe own.trailers
                    ours.waits.forEachIndexed { index, wait ->
                        // grpc-java's jitter is 20 % to either side; ours is off.
                        val (least, most) = if (script.isPushed(index)) {
                            wait to wait
                        } else {
                            wait * 4 / 5 - 1 to wait * 6 / 5 + 1
                        }
                        own.waits[index].shouldBeBetween(least, most)
                    }
                    retried += ours.waits.size
                }
            }
            if (runs > 100) retried shouldBeGreaterThan runs / 2
        }

        test("a failure after the response's headers is retried, which grpc-java by itself cannot") {
            val clock = VirtualClock()
            val answers = arrayOf(Answer.fail(Code.UNAVAILABLE).copy(sendsHeaders = true))
            val policy = RetryPolicy.STANDARD
            val interceptor = RetryClientInterceptor(clock.retrier(policy))
            for (isOurs in listOf(true, false)) {
                val server = ScriptedServer(*answers)
                val interceptors = if (isOurs) arrayOf(interceptor) else emptyArray()
                virtualLink(clock, server, *interceptors) {
                    if (!isOurs) {
                        enableRetry().maxRetryAttempts(5).defaultServiceConfig(policy.toGrpcServiceConfig().config)
                    }
                }.use { link ->
                    val call = link.channel.newCall(Methods.READ, CallOptions.DEFAULT).begin()
                    clock.until { call.closed.isDone }
                    call.closed.get().isOk shouldBe isOurs
                }
                server.seen.size shouldBe if (isOurs) 2 else 1
            }
        }
    })
