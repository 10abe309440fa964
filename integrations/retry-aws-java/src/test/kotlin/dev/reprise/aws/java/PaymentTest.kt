package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit

/** A quota elsewhere, which says only when it is asked for the third time whether it has paid. */
private class SlowQuota(private val pays: Boolean) : SharedQuota {
    override val capacity: Int get() = 500
    override var available: Int = 500
    var asked = 0

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        available -= tokens
        return true
    }

    override fun confirm(tokens: Int): Long = when {
        ++asked < 3 -> 1_000_000
        pays -> 0
        else -> SharedQuota.UNPAID
    }

    override fun giveBack(tokens: Int, operation: String?): Int = tokens.also { available += it }

    override fun succeeded(tokens: Int, operation: String?): Int = giveBack(tokens, operation)
}

class PaymentTest :
    FunSpec({
        val policy = RetryPolicy.builder().backoff(Backoff.fixed(java.time.Duration.ofMillis(1))).build()
        val failure = serviceFailure(500)

        fun strategy(quota: Quota) =
            RepriseRetryStrategy.sharing(JavaRetrier.builder().policy(policy).quota(quota).build())

        test("a retry waits for a quota that has not paid yet, on a thread and without one") {
            val quota = SlowQuota(pays = true)
            strategy(quota).play(listOf(failure)).attempts shouldBe 2
            quota.asked shouldBe 3

            val other = SlowQuota(pays = true)
            val inside = strategy(other)
            inside.refreshRetryTokenAsync(refresh(inside.begin(), failure)).get(30, TimeUnit.SECONDS)
            other.asked shouldBe 3
            other.available shouldBe 486
        }

        test("a thread that is interrupted while it waits for the quota ends the call, and its tokens come back") {
            val quota = SlowQuota(pays = true)
            val inside = strategy(quota)
            val token = inside.begin()
            Thread.currentThread().interrupt()
            try {
                shouldThrow<AbortedException> { inside.refreshRetryToken(refresh(token, failure)) }
                Thread.currentThread().isInterrupted shouldBe true
            } finally {
                Thread.interrupted()
            }
            quota.available shouldBe 500
        }

        test("a quota that does not pay in the end stops the call, on a thread and without one") {
            val quota = SlowQuota(pays = false)
            strategy(quota).play(listOf(failure)).attempts shouldBe 1
            quota.available shouldBe 500

            val inside = strategy(SlowQuota(pays = false))
            val refused = runCatching {
                inside.refreshRetryTokenAsync(refresh(inside.begin(), failure)).get(30, TimeUnit.SECONDS)
            }.exceptionOrNull()
            refused.shouldBeInstanceOf<ExecutionException>().cause.shouldBeInstanceOf<TokenAcquisitionFailedException>()
        }
    })
