package dev.reprise.core.shell.quota

import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread

/** What holds of every quota. */
class QuotaLawsTest :
    FunSpec({
        test("a new quota is full") {
            checkAll(anyQuotaSettings) { settings ->
                val quota = settings.newQuota(TestClock())
                quota.available shouldBe quota.capacity
                quota.capacity shouldBeLessThanOrEqualTo settings.capacity
            }
        }

        test("tokens are never below zero and never above capacity, whatever happens and whenever") {
            checkAll(anyQuotaSettings, anyUses(waits = true)) { settings, uses ->
                val clock = TestClock()
                val quota = settings.newQuota(clock)
                for (use in uses) {
                    quota.make(use, clock)
                    quota.capacity.shouldBeBetween(0, settings.capacity)
                    quota.available.shouldBeBetween(0, quota.capacity)
                }
            }
        }

        test("tokens are conserved: what a quota says that it took or added is what it has less or more") {
            checkAll(anyQuotaSettings, anyUses(waits = false)) { settings, uses ->
                val clock = TestClock()
                val quota = settings.newQuota(clock)
                for (use in uses) {
                    val before = quota.available
                    val change = quota.make(use, clock)
                    quota.available shouldBe before + change
                    if (use is Use.GiveBack) change.shouldBeBetween(0, use.tokens)
                    if (use is Use.Succeed && settings !is RatioQuotaSettings) change.shouldBeBetween(0, use.tokens)
                }
            }
        }

        test("a retry without an operation is refused only if there are too few tokens") {
            checkAll(anyQuotaSettings, anyUses(waits = false), Arb.int(0..100)) { settings, uses, tokens ->
                val clock = TestClock()
                val quota = settings.newQuota(clock)
                uses.forEach { quota.make(it, clock) }
                val isThere = tokens <= quota.available
                quota.tryTake(tokens, null) shouldBe isThere
            }
        }

        test("whoever can pay a price can pay every lower one") {
            val operations = Arb.element("a", "b", null)
            checkAll(anyQuotaSettings, anyUses(waits = true), Arb.int(0..60), operations) {
                    settings,
                    uses,
                    price,
                    operation,
                ->
                fun pays(tokens: Int): Boolean {
                    val clock = TestClock()
                    val quota = settings.newQuota(clock)
                    uses.forEach { quota.make(it, clock) }
                    return quota.tryTake(tokens, operation)
                }
                if (pays(price)) pays(price / 2) shouldBe true
                if (pays(price)) pays(0) shouldBe true
            }
        }

        test("what is taken and given back at once leaves the quota as it was") {
            checkAll(anyQuotaSettings, anyUses(waits = false), Arb.int(0..60)) { settings, uses, tokens ->
                val clock = TestClock()
                val quota = settings.newQuota(clock)
                uses.forEach { quota.make(it, clock) }
                val before = quota.available
                if (quota.tryTake(tokens, "a")) quota.giveBack(tokens, "a") shouldBe tokens
                quota.available shouldBe before
            }
        }

        test("without a success no quota of ours pays more than its capacity, however its size changes") {
            checkAll(anyQuotaSettings, anyUses(waits = true)) { settings, uses ->
                if (settings !is RatioQuotaSettings) {
                    val clock = TestClock()
                    val quota = settings.newQuota(clock)
                    val paid = uses.filter { it is Use.Take || it is Use.Wait }.sumOf { -quota.make(it, clock) }
                    paid.shouldBeBetween(0, settings.capacity)
                }
            }
        }

        test("a negative amount is refused, and changes nothing") {
            checkAll(anyQuotaSettings, Arb.int(Int.MIN_VALUE..-1)) { settings, tokens ->
                val quota = settings.newQuota(TestClock())
                val before = quota.available
                for (use in listOf(Use.Take(tokens, "a"), Use.GiveBack(tokens, "a"), Use.Succeed(tokens, null))) {
                    shouldThrow<IllegalArgumentException> { quota.make(use, TestClock()) }.message shouldContain
                        "must not be negative: $tokens"
                }
                quota.available shouldBe before
            }
        }

        test("a success is counted without a look at the clock") {
            checkAll(anyQuotaSettings) { settings ->
                var readings = 0
                val quota = settings.newQuota({
                    readings++
                    0L
                })
                val before = readings
                repeat(10) { quota.succeeded(settings.firstTryRefund, "a") }
                readings shouldBe before
            }
        }

        test("huge amounts do not overflow") {
            checkAll(anyQuotaSettings) { settings ->
                val quota = settings.newQuota(TestClock())
                if (settings.capacity < Int.MAX_VALUE) {
                    quota.tryTake(Int.MAX_VALUE, "a") shouldBe false
                    quota.tryTake(Int.MAX_VALUE, null) shouldBe false
                }
                quota.giveBack(Int.MAX_VALUE, "a") shouldBe 0
                quota.available shouldBe quota.capacity
            }
        }

        for (settings in listOf(
            TokenBucketSettings.STANDARD,
            SteadyQuotaSettings.DEFAULT,
            RatioQuotaSettings.FINAGLE,
        )) {
            test("no thread can mint: $settings") {
                val quota = settings.newQuota({ 0 })
                val full = quota.available
                val paid = AtomicLong()
                inThreads(4) { number ->
                    val operation = listOf(null, "a", "b", "c")[number]
                    repeat(20_000) {
                        if (quota.tryTake(settings.cost, operation)) {
                            if (it % 3 == 0) {
                                paid.addAndGet(settings.cost.toLong())
                            } else {
                                quota.giveBack(settings.cost, operation)
                            }
                        }
                    }
                }
                quota.available shouldBe full - paid.get().toInt()
                paid.get().toInt().shouldBeBetween(1, full)
            }
        }

        test("what is wrong is said with name, rule and value") {
            shouldThrow<IllegalArgumentException> { RetryQuota(0) }.message shouldContain
                "quota.capacity must be at least 1: 0"
            shouldThrow<IllegalArgumentException> { RetryQuota(5, 6) }.message shouldContain "from 0 to capacity (5): 6"
            shouldThrow<IllegalArgumentException> {
                TokenBucketSettings.builder().cost(-1).build()
            }.message shouldContain "quota.cost must not be negative: -1"
        }
    })

internal fun inThreads(count: Int, work: (Int) -> Unit) {
    val go = CountDownLatch(1)
    val threads = List(count) {
        thread {
            go.await()
            work(it)
        }
    }
    go.countDown()
    threads.forEach { it.join() }
}
