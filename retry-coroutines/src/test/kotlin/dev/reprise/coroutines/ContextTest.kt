package dev.reprise.coroutines

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** What a coroutine carries is there in every attempt, whatever thread it runs on: nothing is launched behind its back. */
class ContextTest :
    FunSpec({
        val policies = mapOf(
            "plain" to RetryPolicy { backoff = Backoff.fixed(1.milliseconds) },
            "with timeouts" to
                RetryPolicy {
                    backoff = Backoff.fixed(1.milliseconds)
                    attemptTimeout = 10.seconds
                    deadline = 60.seconds
                },
        )

        for ((name, policy) in policies) {
            test("context elements and thread locals survive waits and thread hops, $name") {
                val local = ThreadLocal<String>()
                runBlocking(Dispatchers.Default) {
                    withContext(local.asContextElement("mdc") + Tenant("t1") + CoroutineName("caller")) {
                        val seen = mutableListOf<String>()
                        Retrier(policy).invoke { attempt ->
                            val context = currentCoroutineContext()
                            seen += "${local.get()} ${context[Tenant]?.name} ${context[CoroutineName]?.name}"
                            withContext(Dispatchers.IO) { local.get() shouldBe "mdc" }
                            if (!attempt.isLast) throw IOException()
                        }
                        seen shouldContainExactly List(3) { "mdc t1 caller" }
                        local.get() shouldBe "mdc"
                    }
                }
            }
        }

        val limited = RetryPolicy {
            backoff = Backoff.IMMEDIATE
            attemptTimeouts = listOf(1.milliseconds, 30.seconds)
        }
        val hedged = RetryPolicy { hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0) }
        for ((name, context) in mapOf("unconfined" to Dispatchers.Unconfined, "without a dispatcher" to null)) {
            val cases = mapOf(
                "an attempt after a wait" to policies.getValue("plain"),
                "an attempt after a limit" to limited,
                "a copy" to hedged,
            )
            for ((kind, policy) in cases) {
                test("$kind holds up no timers of others, $name") {
                    val cutOff = CompletableFuture<Boolean>()
                    val work: suspend () -> Boolean = {
                        Retrier(policy).invoke { attempt ->
                            if (attempt.number == 1 && policy === policies["plain"]) throw IOException()
                            if (attempt.number > 1) return@invoke timersRun()
                            try {
                                awaitCancellation()
                            } finally {
                                cutOff.complete(timersRun())
                            }
                        }
                    }
                    val end = CompletableFuture<Boolean>()
                    val caller = context ?: EmptyCoroutineContext
                    work.startCoroutine(Continuation(caller) { end.complete(it.getOrThrow()) })
                    end.get(30, TimeUnit.SECONDS) shouldBe true
                    if (policy === limited) cutOff.get(30, TimeUnit.SECONDS) shouldBe true
                }
            }
        }

        test("they survive in a flow that is collected again") {
            val local = ThreadLocal<String>()
            runBlocking(Dispatchers.Default + local.asContextElement("mdc") + Tenant("t1")) {
                var collections = 0
                val source = flow {
                    emit("${local.get()} ${currentCoroutineContext()[Tenant]?.name}")
                    if (++collections < 3) throw IOException()
                }
                source.retry(Retrier(policies.getValue("plain"))).toList() shouldContainExactly List(3) { "mdc t1" }
            }
        }

        test("a listener sees them too, since it is called in the coroutine of the call") {
            val local = ThreadLocal<String>()
            val seen = mutableSetOf<String?>()
            val listener = RetryListener { seen += local.get() }
            runBlocking(Dispatchers.Default + local.asContextElement("mdc")) {
                Retrier.builder(policies.getValue("plain")).listener(listener).build().invoke {
                    if (!it.isLast) throw IOException()
                }
            }
            seen shouldBe setOf("mdc")
        }
    })

/** Blocks this thread until a timer has fired elsewhere; returns whether one did. */
private fun timersRun(): Boolean {
    val timer = CountDownLatch(1)
    CoroutineScope(Dispatchers.Default).launch {
        delay(1.milliseconds)
        timer.countDown()
    }
    return timer.await(30, TimeUnit.SECONDS)
}

private class Tenant(val name: String) : AbstractCoroutineContextElement(Tenant) {
    companion object : CoroutineContext.Key<Tenant>
}
