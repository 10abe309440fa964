package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.Recorder
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.StopReason
import dev.reprise.core.Upstream
import dev.reprise.core.Verdict
import dev.reprise.core.repeated
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.layers.ThreadScope
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.newQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldNotContain
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.net.SocketTimeoutException
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Attempts, calls and the requests behind them describe themselves. */
class CallFactsTest :
    FunSpec({
        class Facts(listener: RetryListener? = null, change: RetryPolicyBuilder.() -> Unit = {}) {
            var now = 5_000_000_000L
            val policy = RetryPolicy {
                backoff = Backoff.fixed(100.milliseconds)
                classifier = Classifier.failures { if (it is IOException) Verdict.TRANSIENT else null }
                change()
            }
            val setup = CallSetup(policy, RetryQuota(500), null, listOfNotNull(listener), { now }, { 1.0 })

            fun begin(kind: ResultKind = ResultKind.VALUE) = setup.begin(CallOptions.DEFAULT, kind)

            /** Uses up the two attempts of [call], which has just begun, and returns what that throws. */
            fun givesUp(call: RetryCall): Throwable? {
                call.attemptStarts()
                val again = call.failed(IOException(), Thrown.FAILURE).repeated()
                again.waited()
                again.attemptStarts()
                return again.failed(IOException(), Thrown.FAILURE).repeated().failure()
            }
        }

        test("an attempt has what its own limit and the call's deadline leave, whichever is less") {
            val facts = Facts {
                attemptTimeout = 300.milliseconds
                deadline = 1.seconds
            }
            val call = facts.begin()
            call.deadlineAt shouldBe 6_000_000_000
            val first = call.attemptStarts()
            first.timeLeftNanos shouldBe 300_000_000
            first.callTimeLeftNanos shouldBe 1_000_000_000
            facts.now += 200_000_000
            first.timeLeftNanos shouldBe 100_000_000
            first.callTimeLeftNanos shouldBe 800_000_000
            facts.now += 200_000_000
            first.timeLeftNanos shouldBe 0
            val again = call.failed(IOException(), Thrown.FAILURE).repeated()
            facts.now += 400_000_000
            again.waited()
            val second = again.attemptStarts()
            second.number shouldBe 2
            second.timeLeftNanos shouldBe 200_000_000
            second.callTimeLeftNanos shouldBe 200_000_000
            Facts().begin().deadlineAt shouldBe Long.MAX_VALUE
            val unlimited = Facts { attemptTimeout = 300.milliseconds }.begin()
            unlimited.attemptStarts().callTimeLeftNanos shouldBe Long.MAX_VALUE
        }

        test("a call goes on until it gives up, and a retry knows what it follows") {
            for (listener in listOf(null, Recorder())) {
                val call = Facts(listener) { maxAttempts = 2 }.begin()
                call.hasEnded shouldBe false
                call.attemptStarts().lastFailure shouldBe null
                val failure = IOException()
                val again = call.failed(failure, Thrown.FAILURE).repeated()
                again.hasEnded shouldBe false
                again.waited()
                again.attemptStarts().lastFailure shouldBeSameInstanceAs failure
                again.failed(IOException(), Thrown.FAILURE).repeated().hasEnded shouldBe true
            }
        }

        test("attempts and calls have numbers that tell them apart, and words") {
            val heard = Recorder()
            val facts = Facts(heard) { hedge = Hedge.after(10.milliseconds, maxExtraLoad = 1.0) }
            val call = facts.begin()
            val attempt = call.attemptStarts()
            attempt.callId shouldBe heard.events.first().callId
            attempt.callId shouldNotBe 0
            attempt.toString() shouldBe "attempt 1"
            val copy = call.race()!!.copyStarts()!!
            copy.toString() shouldBe "copy of attempt 1"
            copy.sentNumber shouldBe 2
            call.toString() shouldContain "ATTEMPT"
            Facts().begin().toString() shouldContain "first attempt of"
        }

        test("a request of HTTP names a call without an operation where a listener or a copy reads it") {
            val options = CallOptions.DEFAULT
            Facts().setup.http(options, "GET", "example.com") shouldBeSameInstanceAs options
            Facts(Recorder()).setup.http(options, "GET", null) shouldBeSameInstanceAs options
            Facts(Recorder()).setup.http(options, "GET", "example.com").label shouldBe "GET example.com"
            Facts { hedge = Hedge() }.setup.http(options, "GET", "example.com").label shouldBe "GET example.com"
            val named = CallOptions("read")
            Facts(Recorder()).setup.http(named, "GET", "example.com").label shouldBe "read"
            val heard = Recorder()
            val facts = Facts(heard)
            facts.setup.begin(facts.setup.http(options, "GET", "example.com"), ResultKind.VALUE)
            heard.events.single().operation shouldBe "GET example.com"
        }

        test(
            "the name of a request is no operation to the quota: with a listener or a hedge it pays for as many retries",
        ) {
            fun retries(listeners: List<RetryListener>, hedge: Hedge? = null): Int {
                var now = 0L
                val settings = SteadyQuotaSettings {
                    capacity = 100
                    leastCapacity = 14
                }
                val quota = settings.newQuota({ now })
                repeat(100) { quota.succeeded(2, null) }
                now = 5_000_000_000
                val policy = RetryPolicy {
                    maxAttempts = 2
                    this.quota = settings
                    this.hedge = hedge
                    backoff = Backoff.IMMEDIATE
                }
                val setup = CallSetup(policy, quota, null, listeners, { now }, { 1.0 })
                return (1..20).count {
                    val call = setup.begin(setup.http(CallOptions.DEFAULT, "GET", "example.com"), ResultKind.VALUE)
                    call.attemptStarts()
                    call.failed(SocketTimeoutException(), Thrown.FAILURE).repeated().next == NextStep.ATTEMPT
                }
            }
            retries(emptyList()) shouldBe 7
            retries(listOf(Recorder())) shouldBe 7
            retries(emptyList(), Hedge.after(10.milliseconds)) shouldBe 7
        }

        test("the request that a call is made for knows whether the last one gave up") {
            val facts = Facts { maxAttempts = 2 }
            val request = ServedRequest(Upstream(1)) { facts.now }
            request.open().use {
                val call = facts.begin()
                request.isRetriedBelow shouldBe false
                facts.givesUp(call)
                request.isRetriedBelow shouldBe true
                facts.begin()
                request.isRetriedBelow shouldBe false
            }
        }

        test("an earlier call that succeeds late does not hide that the last one gave up, with a listener or without") {
            for (listener in listOf(null, Recorder())) {
                val facts = Facts(listener) { maxAttempts = 2 }
                val request = ServedRequest(Upstream(1)) { facts.now }
                request.open().use {
                    val earlier = facts.begin()
                    earlier.attemptStarts()
                    facts.givesUp(facts.begin())
                    earlier.completed("ok") shouldBe null
                    request.isRetriedBelow shouldBe true
                }
            }
        }

        test("a call that is cancelled because another gave up does not hide that") {
            val facts = Facts { maxAttempts = 2 }
            val request = ServedRequest(Upstream(1)) { facts.now }
            request.open().use {
                val gone = facts.begin()
                gone.attemptStarts()
                facts.givesUp(facts.begin())
                gone.failed(CancellationException(), Thrown.CANCELLATION).repeated().failure()
                request.isRetriedBelow shouldBe true
            }
        }

        test("a retry that is reported only when it has ended is of what was retried below it too") {
            val facts = Facts(Recorder()) { maxAttempts = 3 }
            val call = facts.begin()
            call.attemptStarts()
            call.failed(IOException(), Thrown.FAILURE).repeated()
            call.waited()
            val below = Facts { maxAttempts = 2 }
            val from = Moments.now()
            val called = below.begin()
            called.attemptStarts()
            val inner = called.failed(IOException(), Thrown.FAILURE).repeated()
            inner.waited()
            inner.attemptStarts()
            inner.failed(IOException(), Thrown.FAILURE).repeated()
            inner.madeIn(ThreadScope.BLOCKING)
            val failure = inner.failure()!!
            call.attemptStarted(facts.now)
            val scope = ThreadScope.blocking(from)
            call.failed(failure, Thrown.FAILURE, scope = scope).repeated().outcome()!!.reason shouldBe
                StopReason.RETRIED_BELOW
        }

        test("a mark goes through a copy to the exception that coroutines have copied, and through no other cause") {
            fun copyOf(original: Throwable, frame: String) = IOException("copy", original).apply {
                stackTrace =
                    arrayOf(StackTraceElement("Some", "frame", null, 1), StackTraceElement(frame, "frame", null, 1))
            }
            val mark = IllegalStateException("mark")
            val original = IOException("original")
            val recovered = copyOf(original, "_COROUTINE._BOUNDARY")
            recovered.carryThroughCopies(mark)
            recovered.suppressed.toList() shouldContain mark
            original.suppressed.toList() shouldContain mark

            val cause = IOException("cause")
            copyOf(cause, "Other").carryThroughCopies(mark)
            cause.suppressed.toList() shouldNotContain mark
            val other = IllegalArgumentException("another class")
            copyOf(other, "_COROUTINE._BOUNDARY").carryThroughCopies(mark)
            other.suppressed.toList() shouldNotContain mark
        }

        test(
            "a failure whose class throws when asked for its cause or its stack is retried, and thrown with its trace",
        ) {
            class Hostile : IOException() {
                override val cause: Throwable get() = error("cause")

                override fun getStackTrace() = error("stack")
            }
            val failures = listOf(
                Hostile(),
                object : IOException(IOException()) {
                    override fun getStackTrace() = error("stack")
                },
            )
            for (failure in failures) {
                val facts = Facts { maxAttempts = 2 }
                val call = facts.begin()
                call.attemptStarts()
                val again = call.failed(failure, Thrown.FAILURE).repeated()
                again.waited()
                again.attemptStarts()
                val ended = again.failed(failure, Thrown.FAILURE).repeated()
                ended.failure() shouldBe failure
                RetryTrace.of(failure)!!.attempts shouldBe 2
            }
        }
    })
