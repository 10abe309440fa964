package dev.reprise.conformance.laws

import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.ScriptedStages
import dev.reprise.conformance.ScriptedWork
import dev.reprise.conformance.Step
import dev.reprise.conformance.VirtualScheduler
import dev.reprise.core.CallOptions
import dev.reprise.core.Polling
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.java.StageSupplier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.reactor.retry
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import reactor.core.publisher.Mono
import java.io.IOException
import java.lang.ref.Reference
import java.lang.ref.WeakReference
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Future
import kotlin.time.Duration.Companion.seconds

private val OPTIONS = CallOptions("work")
private val SLOWLY = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(1))

/** Every form of a call that gives a future; each of them makes the attempts of a scripted call. */
private val FORMS = mapOf<String, (JavaRetrier, VirtualTime, ScriptedCall) -> CompletableFuture<*>>(
    "stage" to { java, time, call -> java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedStages(call, time)) },
    "outcome of a stage" to { java, time, call ->
        java.withOptions(OPTIONS).outcomeAsyncWithAttempt(ScriptedStages(call, time))
    },
    "on an executor" to { java, time, call ->
        java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedWork(call, time), time.executor)
    },
    "outcome on an executor" to { java, time, call ->
        java.withOptions(OPTIONS).outcomeAsyncWithAttempt(ScriptedWork(call, time), time.executor)
    },
    "poll" to { java, _, call -> java.pollUntilAsync(SLOWLY, { it == "there" }, look(call)) },
    "outcome of a poll" to { java, _, call -> java.pollOutcomeAsync(SLOWLY, { it == "there" }, look(call)) },
    "java.net.http" to { java, time, call ->
        RetryingHttpClient.around(ScriptedHttpClient(time) { ScriptedResponse.failure { call.next().failed() } })
            .retriers { java }.build()
            .sendAsync(REQUEST, BodyHandlers.ofString())
    },
    "java.net.http, a failure's body" to { java, time, call ->
        RetryingHttpClient.around(ScriptedHttpClient(time, ScriptedResponse.status(503))).retriers { java }.build()
            .sendAsync(REQUEST) { head ->
                call.hashCode()
                BodyHandlers.ofString().apply(head)
            }
    },
    "Mono" to { java, time, call ->
        val scheduler = VirtualScheduler(time)
        Mono.fromCallable<Any> { throw call.next().failed() }.retry(java.retrier(), OPTIONS, scheduler).toFuture()
    },
)

private val REQUEST = HttpRequest.newBuilder(URI("http://service.test/")).build()

private fun look(call: ScriptedCall) = StageSupplier<Any?> { CompletableFuture.failedFuture(call.next().failed()) }

private fun Step.failed(): Throwable = failure!!.invoke()

/** Laws 3 and 10: whoever holds the future of a call can read it and end it, and keeps nothing else. */
class HolderLawTest :
    FunSpec({
        // The future of a Mono is Reactor's own.
        for ((name, form) in FORMS - "Mono") {
            test("the future of a waiting call is a future and nothing else: $name") {
                val trial = Trial(RetryPolicy.STANDARD)
                val future = form(trial.java, trial.time, ScriptedCall(listOf(RESET)))
                trial.time.settle()
                future.isDone shouldBe false
                generateSequence<Class<*>>(future.javaClass) { it.superclass }.flatMap { it.interfaces.asSequence() }
                    .toSet() shouldContainExactlyInAnyOrder setOf(Future::class.java, CompletionStage::class.java)
                future.cancel(true)
                trial.time.settle()
            }
        }

        for ((name, form) in FORMS) {
            for (isCancelled in listOf(false, true)) {
                test("the future of an ended call keeps nothing of its work: $name, cancelled: $isCancelled") {
                    val (future, held) = ended(form, isCancelled)
                    future.isDone shouldBe true
                    held.isCleared()
                    Reference.reachabilityFence(future)
                }
            }

            test("a future derived from that of an ended call keeps nothing of its end: $name") {
                val derived = derived(form)
                derived.get().isCleared()
                Reference.reachabilityFence(derived)
            }
        }
    })

private val Trial.java get() = JavaRetrier.sharing(retrier, time, time.executor)

/** A call by [form], and a part of its work. Its frame is gone when it returns. */
private fun Trial.begun(
    form: (JavaRetrier, VirtualTime, ScriptedCall) -> CompletableFuture<*>,
): Pair<CompletableFuture<*>, WeakReference<ByteArray>> {
    val part = ByteArray(1 shl 16)
    val call = ScriptedCall(listOf(Step { IOException("reset ${part.size}") }))
    return form(java, time, call) to WeakReference(part)
}

/** The future of a call by [form] that has ended, and a part of its work. The frames of all else are gone when it returns. */
private fun ended(
    form: (JavaRetrier, VirtualTime, ScriptedCall) -> CompletableFuture<*>,
    isCancelled: Boolean,
): Pair<CompletableFuture<*>, WeakReference<ByteArray>> {
    val trial = Trial(RetryPolicy.STANDARD.with { deadline = 90.seconds })
    val (future, held) = trial.begun(form)
    trial.time.settle()
    if (isCancelled) future.cancel(true) else trial.time.until { future.isDone }
    trial.time.settle()
    trial.time.pending shouldBe 0
    return future to held
}

/** A future derived from that of a call by [form]. It refers weakly to how the call ended, and no stack frame keeps the rest. */
private fun derived(
    form: (JavaRetrier, VirtualTime, ScriptedCall) -> CompletableFuture<*>,
): CompletableFuture<WeakReference<Any>> {
    val trial = Trial(RetryPolicy.STANDARD.with { deadline = 90.seconds })
    val derived = trial.begun(form).first.handle { value, failure -> WeakReference<Any>(value ?: failure) }
    trial.time.until { derived.isDone }
    trial.time.settle()
    return derived
}

private fun WeakReference<*>.isCleared() {
    repeat(100) {
        if (get() != null) {
            System.gc()
            Thread.sleep(5)
        }
    }
    get().shouldBeNull()
}
