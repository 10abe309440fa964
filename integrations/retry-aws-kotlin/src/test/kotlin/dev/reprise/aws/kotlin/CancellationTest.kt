@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.ServiceException
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.Quota
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.coroutines.withDeadline
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import kotlin.time.Duration.Companion.milliseconds

private val alwaysThrottled = sdkPolicy { RetryDirective.RetryError(RetryErrorType.Throttling) }
private val retriesAll = sdkPolicy {
    if (it.isSuccess) RetryDirective.TerminateAndSucceed else RetryDirective.RetryError(RetryErrorType.Transient)
}

private fun Notes.balance() =
    all<RetryEvent.QuotaTaken>().sumOf { it.tokens } - all<RetryEvent.QuotaRefunded>().sumOf { it.tokens }

private val Quota.missing get() = capacity - available

class CancellationTest :
    FunSpec({
        test("a call that is cancelled in an attempt ends at once, and its retry stays paid") {
            ScriptedServer(Reply.Status(500), Reply.Hang).use { server ->
                val notes = Notes()
                val retrier = notes.retrier(Presets.named("standard-2.1"))
                inTime {
                    dynamo(server, RepriseRetryStrategy(retrier)).use { client ->
                        val call = launch { client.listTables() }
                        while (server.requests.size < 2) delay(5.milliseconds)
                        call.cancelAndJoin()
                        call.isCancelled shouldBe true
                    }
                }
                notes.all<RetryEvent.CallCancelled>().single().attempts shouldBe 2
                retrier.quota!!.available shouldBe 500 - 14
            }
        }

        test("a call that is cancelled in a wait ends at once, and its retry is given back") {
            ScriptedServer(Reply.Status(500)).use { server ->
                val notes = Notes()
                val waits = CompletableDeferred<Unit>()
                val retrier = Retrier(Presets.named("standard-2.1")) {
                    listener(notes)
                    waiter = Waiter {
                        waits.complete(Unit)
                        awaitCancellation()
                    }
                }
                inTime {
                    dynamo(server, RepriseRetryStrategy(retrier)).use { client ->
                        val call = launch { client.listTables() }
                        waits.await()
                        retrier.quota!!.available shouldBe 500 - 14
                        call.cancelAndJoin()
                    }
                }
                notes.all<RetryEvent.CallCancelled>().single().attempts shouldBe 1
                server.requests shouldHaveSize 1
                retrier.quota!!.available shouldBe 500
            }
        }

        test("a call that is cancelled before it began runs nothing, and nobody hears of it") {
            runTest {
                val notes = Notes()
                var runs = 0
                val call = launch {
                    coroutineContext.cancel()
                    RepriseRetryStrategy(notes.retrier(Presets.named("standard-2.1"))).retry(retriesAll) { runs++ }
                }
                call.join()
                runs shouldBe 0
                notes.events.size shouldBe 0
            }
        }

        test("a call that is cancelled in the line for a permit takes none") {
            runTest {
                val policy = Presets.named("adaptive-2.1").with { maxAttempts = 1 }
                val retrier = Retrier(policy) { clock = NanoClock { currentTime * 1_000_000 } }
                val strategy = RepriseRetryStrategy(retrier)
                suspend fun call() = runCatching {
                    strategy.retry(alwaysThrottled) { throw ServiceException("slow down") }
                }
                // The first throttle turns the limiter on, at its lowest rate.
                repeat(2) { call() }
                val tokens = retrier.sendRate!!.state
                val waiting = List(10) { launch { call() } }
                delay(1.milliseconds)
                waiting.forEach { it.cancelAndJoin() }

                retrier.sendRate!!.state.waitNanos(currentTime * 1_000_000, ahead = 0) shouldBe
                    tokens.waitNanos(currentTime * 1_000_000, ahead = 0)
            }
        }

        test("a deadline that travels with the coroutine ends the SDK's calls too") {
            runTest {
                val notes = Notes()
                val retrier = Retrier(Presets.named("standard-2.1").with { maxAttempts = 20 }) {
                    listener(notes)
                    clock = NanoClock { currentTime * 1_000_000 }
                }
                withDeadline(testTimeSource.markNow() + 100.milliseconds) {
                    runCatching {
                        RepriseRetryStrategy(retrier).retry(retriesAll) {
                            delay(40.milliseconds)
                            throw ServiceException("scripted")
                        }
                    }
                }
                notes.all<RetryEvent.CallGaveUp>().single().reason shouldBe StopReason.DEADLINE
                currentTime shouldBeLessThanOrEqual 100
                retrier.quota!!.missing shouldBe notes.balance()
            }
        }

        test("whenever calls are cancelled, the events account for every token that is missing") {
            checkAll(120, Arb.list(Arb.int(0..400), 1..12), Arb.int(1..5)) { cancelledAt, failures ->
                runTest {
                    val notes = Notes()
                    val retrier = Retrier(Presets.named("standard-2.1").with { maxAttempts = 4 }) {
                        listener(notes)
                        clock = NanoClock { currentTime * 1_000_000 }
                    }
                    val strategy = RepriseRetryStrategy(retrier)
                    val calls = cancelledAt.map { at ->
                        val call = launch {
                            var attempt = 0
                            runCatching {
                                strategy.retry(retriesAll) {
                                    delay(20.milliseconds)
                                    if (++attempt <= failures) throw ServiceException("scripted")
                                }
                            }
                        }
                        launch {
                            delay(at.milliseconds)
                            call.cancel()
                        }
                        call
                    }
                    calls.forEach { it.join() }

                    withClue(notes.events.joinToString("\n")) {
                        val ends = notes.events.filter {
                            it is RetryEvent.CallSucceeded || it is RetryEvent.CallGaveUp ||
                                it is RetryEvent.CallCancelled
                        }
                        ends shouldHaveSize notes.all<RetryEvent.CallStarted>().size
                        retrier.quota!!.missing shouldBe notes.balance()
                    }
                }
            }
        }
    })
