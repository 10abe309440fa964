package dev.reprise.core.shell.call

import dev.reprise.core.Recorder
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.time.MILLI
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds

/** A bucket elsewhere that says [answers], one after the other, when it is to confirm. */
private class LateQuota(private vararg val answers: Long, private val bucket: RetryQuota = RetryQuota()) :
    SharedQuota,
    Quota by bucket {
    private var asked = 0

    override fun confirm(tokens: Int): Long = answers[asked++]
}

/** Counts what it is asked. */
private class CountingQuota(private val bucket: RetryQuota = RetryQuota()) : Quota by bucket {
    val asked = mutableListOf<String>()

    override fun tryTake(tokens: Int, operation: String?) = bucket.tryTake(tokens).also { asked += "take" }

    override fun succeeded(tokens: Int, operation: String?) = bucket.refund(tokens).also { asked += "succeeded" }

    override fun giveBack(tokens: Int, operation: String?) = bucket.refund(tokens).also { asked += "back" }
}

/** A quota that processes share is asked a second time, after the wait; any other one is not. */
class SharedQuotaTest :
    FunSpec({
        val failure = { throw SocketTimeoutException() }

        test("a retry that is paid at once asks its quota two questions") {
            val quota = CountingQuota()
            Shell(quota = quota).outcome(failure, { "good" }).shouldBeInstanceOf<RetryOutcome.Success<*>>()
            quota.asked shouldContainExactly listOf("take", "succeeded")
        }

        test("a quota that asks for time gets it, and the call has waited as much longer") {
            checkAll(Arb.long(1, 100 * MILLI), Arb.int(1, 3)) { longer, times ->
                val shell = Shell(quota = LateQuota(*LongArray(times) { longer }, 0))
                val outcome = shell.outcome(failure, { "good" })
                outcome.shouldBeInstanceOf<RetryOutcome.Success<*>>()
                outcome.totalDelayNanos shouldBe 50 * MILLI + times * longer
                shell.now shouldBe outcome.totalDelayNanos
            }
        }

        test("what could not be paid ends the call, and comes back once") {
            checkAll(Arb.int(0, 3)) { times ->
                val quota = LateQuota(*LongArray(times) { MILLI }, SharedQuota.UNPAID)
                val recorder = Recorder()
                val outcome = Shell(listeners = listOf(recorder), quota = quota).outcome(failure)
                outcome.attempts shouldBe 1
                outcome.reason shouldBe StopReason.QUOTA
                quota.available shouldBe 500
                recorder.events.count { it is RetryEvent.QuotaTaken } shouldBe 1
                recorder.events.count { it is RetryEvent.QuotaRefunded } shouldBe 1
            }
        }

        test("a quota that needs longer than the deadline leaves ends the call, and gets its tokens back") {
            for ((longer, reason) in listOf(50 * MILLI to StopReason.DEADLINE, 50 * MILLI - 1 to StopReason.SUCCESS)) {
                val quota = LateQuota(longer, 0)
                val outcome = Shell(RetryPolicy.STANDARD.with { deadline = 100.milliseconds }, quota = quota)
                    .outcome(failure, { "good" })
                outcome.reason shouldBe reason
                quota.available shouldBe 500
            }
        }
    })
