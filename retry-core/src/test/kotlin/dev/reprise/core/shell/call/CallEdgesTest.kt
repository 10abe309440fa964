package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.NanoClock
import dev.reprise.core.NoPermit
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.Recorder
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Shell
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.repeated
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.SendRate
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeInRange
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The edges of a call: outcomes as values, limits, waits that break, and what copies teach. */
class CallEdgesTest :
    FunSpec({
        fun setup(listener: RetryListener? = null, change: RetryPolicyBuilder.() -> Unit = {}): CallSetup {
            val policy = RetryPolicy {
                backoff = Backoff.fixed(100.milliseconds)
                classifier = Classifier.failures { if (it is IOException) Verdict.TRANSIENT else null }
                change()
            }
            val rate = policy.sendRate?.let { SendRate(it, 0) }
            val quota = policy.quota?.let { RetryQuota(it.capacity) }
            return CallSetup(policy, quota, rate, listOfNotNull(listener), { 0 }, { 1.0 })
        }

        test(
            "a quota of any type gets back what was taken for a retry that is paid and never begins, whatever came between",
        ) {
            for (settings in listOf(
                RatioQuotaSettings.FINAGLE,
                SteadyQuotaSettings.DEFAULT,
                TokenBucketSettings.STANDARD,
            )) {
                for (way in listOf("cancelled", "broken", "no permit", "clock", "begun")) {
                    for (wait in 0..1) {
                        val policy = RetryPolicy {
                            backoff = Backoff.fixed(wait.milliseconds)
                            sendRate = SendRateSettings.EXACT
                            onNoPermit = NoPermit.Fail
                            quota = settings
                        }
                        var isClockBroken = false
                        val clock = NanoClock { if (isClockBroken) error("clock") else 0 }
                        val quota = settings.newQuota(clock)
                        val full = quota.available
                        val call = CallSetup(policy, quota, SendRate(SendRateSettings.EXACT, 0), emptyList(), clock, {
                            1.0
                        }).begin(CallOptions.DEFAULT, ResultKind.VALUE)
                        call.permitted(0)
                        call.attemptStarts()
                        call.failed(IOException(), Thrown.FAILURE).repeated()
                        if (wait > 0) call.waited()
                        withClue("$settings, $way") {
                            call.next shouldBe NextStep.PERMIT
                            quota.available shouldBe full - settings.cost
                            when (way) {
                                "cancelled" -> call.broke(CancellationException())

                                "broken" -> call.broke(IllegalStateException())

                                "no permit" -> call.permitRefused()

                                else -> {
                                    call.permitted(0)
                                    isClockBroken = way == "clock"
                                    runCatching {
                                        call.attemptStarts()
                                    }.onFailure { call.failed(it, Thrown.FAILURE).repeated() }
                                    isClockBroken = false
                                    if (way == "begun") call.broke(CancellationException())
                                }
                            }
                            call.hasEnded shouldBe true
                            quota.available shouldBe if (way == "begun") full - settings.cost else full
                        }
                    }
                }
            }
        }

        test("a call as an outcome ends as a value, unless its caller cancelled it") {
            val good = setup().begin(CallOptions.DEFAULT, ResultKind.VALUE, asOutcome = true)
            good.attemptStarts()
            val ended = good.completed("good")!!
            ended.next shouldBe NextStep.DONE
            ended.failure().shouldBeNull()
            ended.value().shouldBeInstanceOf<RetryOutcome.Success<*>>().value shouldBe "good"

            val bad = setup { maxAttempts = 1 }.begin(CallOptions.DEFAULT, ResultKind.VALUE, asOutcome = true)
            bad.attemptStarts()
            val failure = IOException()
            val failed = bad.failed(failure, Thrown.FAILURE).repeated()
            failed.failure().shouldBeNull()
            failed.value().shouldBeInstanceOf<RetryOutcome.Failure>().failure shouldBeSameInstanceAs failure

            val gone = setup().begin(CallOptions.DEFAULT, ResultKind.VALUE, asOutcome = true)
            gone.attemptStarts()
            val cancelled = CancellationException()
            gone.failed(cancelled, Thrown.CANCELLATION).repeated().failure() shouldBeSameInstanceAs cancelled
        }

        test("a plain attempt has no limit and no race, with a listener or without") {
            val isPlain = { change: RetryPolicyBuilder.() -> Unit ->
                listOf(
                    null,
                    RetryListener {
                    },
                ).map { setup(it, change).begin(CallOptions.DEFAULT, ResultKind.VALUE).isPlain }
            }
            isPlain {} shouldContainExactly listOf(true, true)
            isPlain { deadline = 9.seconds } shouldContainExactly listOf(false, false)
            isPlain { attemptTimeout = 9.seconds } shouldContainExactly listOf(false, false)
            isPlain { hedge = Hedge() } shouldContainExactly listOf(false, false)
            val options = CallOptions { deadline = 9.seconds }
            setup(RetryListener { }).begin(options, ResultKind.VALUE).isPlain shouldBe false
            val adaptive = setup(RetryListener { }) { sendRate = SendRateSettings.EXACT }
            adaptive.begin(CallOptions.DEFAULT, ResultKind.VALUE).isPlain shouldBe false
        }

        test("a permit that was waited for is told, one that was there is not") {
            for (wait in listOf(0L, 1L)) {
                val heard = Recorder()
                val call = setup(heard) {
                    sendRate = SendRateSettings.EXACT
                }.begin(CallOptions.DEFAULT, ResultKind.VALUE)
                call.permitted(wait)
                heard.events.filterIsInstance<RetryEvent.PermitWaited>().map { it.waitNanos } shouldBe
                    if (wait > 0) listOf(wait) else emptyList()
            }
        }

        test("a shell that learns late of a call tells its listener what happened then") {
            val heard = Recorder()
            val setup = setup(heard)
            setup.takeOver(CallOptions.DEFAULT, ResultKind.VALUE, startedAt = 3, sentAt = 5)
            heard.events.map { it.javaClass.simpleName } shouldContainExactly listOf("CallStarted", "AttemptStarted")
        }

        test("a call goes on under another policy with the attempts, the tokens and the events that it has had") {
            for (heard in listOf(null, Recorder())) {
                for (changes in listOf(0, 1)) {
                    val plain = setup(heard) { maxAttempts = 3 }
                    val other = CallSetup(
                        plain.policy.with {
                            maxAttempts = 4
                            backoff = Backoff.fixed(7.milliseconds)
                        },
                        plain.quota,
                        null,
                        plain.listeners,
                        { 0 },
                        { 1.0 },
                    )
                    var call = plain.begin(CallOptions.DEFAULT, ResultKind.VALUE)
                    val waits = mutableListOf<Long>()
                    for (n in 0..3) {
                        call.attemptStarts()
                        if (n == changes) call = call.under(other)
                        call = call.failed(IOException("$n"), Thrown.FAILURE).repeated()
                        if (call.next != NextStep.WAIT) break
                        waits += call.delayNanos / 1_000_000
                        call.waited()
                    }
                    waits shouldContainExactly listOf(if (changes == 0) 7L else 100, 7, 7)
                    call.outcome()!!.attempts shouldBe 4
                    plain.quota!!.available shouldBe plain.quota!!.capacity - 3 * 14
                    heard?.let { recorder ->
                        recorder.events.count { it is RetryEvent.CallStarted } shouldBe 1
                        recorder.events.count { it is RetryEvent.AttemptStarted } shouldBe 4
                        recorder.events.clear()
                    }
                }
            }
        }

        test("a classifier that throws ends the call with its exception, which carries the attempt's") {
            for (listener in listOf(null, Recorder())) {
                val broken = IllegalStateException("broken classifier")
                val call = setup(listener) { classifier = Classifier.failures { throw broken } }
                    .begin(CallOptions.DEFAULT, ResultKind.VALUE)
                call.attemptStarts()
                val failure = IOException("refused")
                val ended = call.failed(failure, Thrown.FAILURE).repeated()
                ended.failure() shouldBeSameInstanceAs broken
                broken.suppressed.toList() shouldContain failure
                ended.outcome()!!.attempts shouldBe 1
                listener?.events?.map { it.javaClass.simpleName }?.let { it shouldContain "AttemptFailed" }
            }
        }

        test(
            "a refused long poll is told after its delay; a wait that breaks changes nothing, a caller who goes ends it",
        ) {
            val options = CallOptions { longPolling = true }
            fun refused(): RetryCall {
                val setup = setup { maxAttempts = 3 }
                repeat(100) { setup.quota!!.tryTake(14, null) }
                val call = setup.begin(options, ResultKind.VALUE)
                call.attemptStarts()
                return call.failed(IOException(), Thrown.FAILURE).repeated().also {
                    it.next shouldBe NextStep.WAIT
                    it.delayNanos shouldBe 100_000_000
                }
            }
            val waited = refused()
            waited.waited()
            waited.next shouldBe NextStep.DONE
            waited.outcome()!!.reason shouldBe StopReason.QUOTA

            val broken = Error("no timer")
            val after = refused().broke(broken)
            after.next shouldBe NextStep.DONE
            val failure = after.failure().shouldBeInstanceOf<IOException>()
            failure.suppressed.toList() shouldContain broken

            val gone = CancellationException()
            refused().broke(gone).failure() shouldBeSameInstanceAs gone
        }

        test(
            "copies follow after what slow calls took: accepted first executions and timeouts teach, other failures do not",
        ) {
            fun learnt(outcome: (Int) -> Any): Long {
                val shell = Shell(
                    RetryPolicy {
                        maxAttempts = 1
                        classifier =
                            Classifier.failures { if (it is IOException) Verdict.TRANSIENT else Verdict.TIMEOUT }
                        hedge = Hedge(maxExtraLoad = 0.1)
                    },
                )
                for (number in 1..200) {
                    val call = shell.begin()
                    call.begins()
                    call.race()
                    shell.now += if (number % 10 == 0) 400_000_000 else 10_000_000
                    call.ended(outcome(number))
                }
                val call = shell.begin()
                call.begins()
                return call.race()?.delayNanos ?: 0
            }
            withClue("a tenth is slow, and 8 % of all may have a copy") {
                learnt { "good" } shouldBeInRange 360_000_000L..480_000_000L
                learnt { if (it % 10 == 0) IllegalStateException() else "good" } shouldBeInRange
                    360_000_000L..480_000_000L
            }
            learnt { IOException() } shouldBe 0
        }
    })
