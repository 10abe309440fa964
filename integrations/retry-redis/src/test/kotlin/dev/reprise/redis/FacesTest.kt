package dev.reprise.redis

import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.java.ThrowingSupplier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.util.concurrent.CompletableFuture

/** A quota that needs time when the wait is over, and then says [last]. */
private class Hesitant(private val last: Long) : SharedQuota {
    private val bucket = RetryQuota()
    private var asked = 0

    override val capacity: Int get() = bucket.capacity
    override val available: Int get() = bucket.available

    override fun tryTake(tokens: Int, operation: String?): Boolean = bucket.tryTake(tokens)

    override fun giveBack(tokens: Int, operation: String?): Int = bucket.refund(tokens)

    override fun succeeded(tokens: Int, operation: String?): Int = bucket.refund(tokens)

    override fun confirm(tokens: Int): Long {
        if (asked++ < 3) return 1_000_000
        return last
    }
}

/** Every face waits on for a quota that needs time, and ends where it could not pay. */
class FacesTest :
    FunSpec({
        class Work {
            var attempts = 0

            fun once(): String {
                if (++attempts == 1) throw IOException("once")
                return "done"
            }
        }

        fun check(last: Long, quota: Quota, outcome: RetryOutcome<String>, work: Work) {
            val isPaid = last == 0L
            work.attempts shouldBe if (isPaid) 2 else 1
            outcome.reason shouldBe if (isPaid) StopReason.SUCCESS else StopReason.QUOTA
            quota.available shouldBe 500
        }

        for (last in listOf(0L, SharedQuota.UNPAID)) {
            val what = if (last == 0L) "pays later" else "cannot pay"

            test("suspend: a quota that $what") {
                runTest {
                    val work = Work()
                    val quota = Hesitant(last)
                    check(
                        last,
                        quota,
                        Retrier(RetryPolicy.STANDARD) {
                            this.quota = quota
                        }.outcome { work.once() },
                        work,
                    )
                }
            }

            test("blocking: a quota that $what") {
                val work = Work()
                val quota = Hesitant(last)
                val retrier = JavaRetrier.builder().quota(quota).build()
                check(last, quota, retrier.outcome(ThrowingSupplier<String, IOException> { work.once() }), work)
            }

            test("futures: a quota that $what") {
                val work = Work()
                val quota = Hesitant(last)
                val retrier = JavaRetrier.builder().quota(quota).build()
                val outcome = retrier.outcomeAsync { CompletableFuture.completedFuture(work.once()) }.join()
                check(last, quota, outcome, work)
            }
        }
    })
