package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.repeated
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.time.MILLI
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds

/** Pays for each retry when it has been asked a second time, [longer] ns later, if it [pays] at all. */
private class SlowQuota(private val pays: Boolean, private val longer: Long) : SharedQuota {
    private var asked = 0
    override val capacity: Int get() = 500
    override val available: Int get() = 500

    override fun tryTake(tokens: Int, operation: String?): Boolean = pays

    override fun confirm(tokens: Int): Long = if (++asked % 2 == 1) longer else 0

    override fun giveBack(tokens: Int, operation: String?): Int = tokens

    override fun succeeded(tokens: Int, operation: String?): Int = 0
}

/** Waits that are longer than they were said to be, and a wait after which nothing follows. */
class CallWaitsTest :
    FunSpec({
        val policy = RetryPolicy {
            maxAttempts = 3
            backoff = Backoff.fixed(100.milliseconds)
            attemptTimeout = 300.milliseconds
        }

        test("a wait that is not paid for goes on for as long as the quota says, and the next one is a whole one") {
            val shell = Shell(policy, quota = SlowQuota(pays = true, longer = 40 * MILLI))
            val call = shell.begin()
            for (attempt in 1..2) {
                call.begins().number shouldBe attempt
                call.ended(SocketTimeoutException())
                call.delayNanos shouldBe 100 * MILLI
                call.one()
                call.next shouldBe NextStep.WAIT
                call.delayNanos shouldBe 40 * MILLI
                call.one()
                call.next shouldBe NextStep.ATTEMPT
            }
            shell.now shouldBe 280 * MILLI
        }

        test("the wait before a refused long poll ends is no time of its last attempt") {
            val shell = Shell(policy, quota = SlowQuota(pays = false, longer = 0))
            val call = shell.setup.begin(CallOptions.DEFAULT, ResultKind.VALUE).asLongPoll()
            val attempt = call.attemptStarts()
            shell.now += 50 * MILLI
            val ended = call.failed(SocketTimeoutException(), Thrown.FAILURE).repeated()
            ended.hasEnded shouldBe true
            ended.next shouldBe NextStep.WAIT
            ended.delayNanos shouldBe 100 * MILLI
            shell.now += ended.delayNanos
            ended.waited()
            ended.next shouldBe NextStep.DONE
            attempt.timeLeftNanos shouldBe 250 * MILLI
        }
    })
