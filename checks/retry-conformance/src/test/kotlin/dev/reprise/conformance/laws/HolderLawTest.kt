package dev.reprise.conformance.laws

import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.ScriptedStages
import dev.reprise.conformance.ScriptedWork
import dev.reprise.core.CallOptions
import dev.reprise.core.Polling
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.java.StageSupplier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Future

private val OPTIONS = CallOptions("work")
private val SLOWLY = Polling.every(Duration.ofSeconds(1), null)

/** Every form of a call that gives a future; each of them then waits for its second attempt. */
private val FORMS = mapOf<String, (JavaRetrier, VirtualTime) -> CompletableFuture<*>>(
    "stage" to
        { java, time ->
            java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedStages(ScriptedCall(listOf(RESET)), time))
        },
    "outcome of a stage" to { java, time ->
        java.withOptions(OPTIONS).outcomeAsyncWithAttempt(ScriptedStages(ScriptedCall(listOf(RESET)), time))
    },
    "on an executor" to { java, time ->
        java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedWork(ScriptedCall(listOf(RESET)), time), time.executor)
    },
    "outcome on an executor" to { java, time ->
        java.withOptions(
            OPTIONS,
        ).outcomeAsyncWithAttempt(ScriptedWork(ScriptedCall(listOf(RESET)), time), time.executor)
    },
    "poll" to { java, _ ->
        java.pollUntilAsync(SLOWLY, { false }, StageSupplier { CompletableFuture.completedFuture("not yet") })
    },
    "outcome of a poll" to { java, _ ->
        java.pollOutcomeAsync(SLOWLY, { false }, StageSupplier { CompletableFuture.completedFuture("not yet") })
    },
    "java.net.http" to { java, time ->
        RetryingHttpClient.around(ScriptedHttpClient(time, ScriptedResponse.status(503, "busy")))
            .retriers { java }.build()
            .sendAsync(HttpRequest.newBuilder(URI("http://service.test/")).build(), BodyHandlers.ofString())
    },
)

private const val RUNNABLE = "AsyncCall is both the future and what the timer runs"

/** Law 10: whoever holds the future of a call can read it and end it, and nothing else. */
class HolderLawTest :
    FunSpec({
        for ((name, form) in FORMS) {
            test("the future of a waiting call is a future and nothing else: $name") {
                val check = {
                    val trial = Trial(RetryPolicy.STANDARD)
                    val future = form(JavaRetrier.sharing(trial.retrier, trial.time, trial.time.executor), trial.time)
                    trial.time.settle()
                    future.isDone shouldBe false
                    generateSequence<Class<*>>(future.javaClass) {
                        it.superclass
                    }.flatMap { it.interfaces.asSequence() }
                        .toSet() shouldContainExactlyInAnyOrder setOf(Future::class.java, CompletionStage::class.java)
                    future.cancel(true)
                    trial.time.settle()
                }
                if (name == "java.net.http") check() else expectedToFail(RUNNABLE, check)
            }
        }
    })
