package dev.reprise.core.shell.quota

import dev.reprise.core.RatioQuotaSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.ints.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import kotlin.random.Random

/** What really becomes of each retry, by name. */
private class Retries(private val clock: TestClock) {
    private class Retry(val slot: Long, var isPending: Boolean = true)

    private val all = mutableListOf<Retry>()
    private var newest = 0L

    /** Whether each pending retry is of this very window and none was made: then tokens cannot be mixed up. */
    var isExact = true
        private set

    private val slot: Long
        get() {
            newest = maxOf(newest, clock.nanos / SLOT)
            return newest
        }

    val inWindow: Int
        get() {
            val now = slot
            if (all.any { it.slot <= now - RatioWindow.SLOTS }) isExact = false
            return all.count { it.slot > now - RatioWindow.SLOTS }
        }

    fun take() {
        all += Retry(slot)
    }

    fun made(random: Random): Any? = pending(random)?.also {
        it.isPending = false
        isExact = false
    }

    fun back(random: Random): Any? = pending(random)?.also {
        all -= it
    }

    private fun pending(random: Random): Retry? {
        val forgotten = slot - RatioWindow.SLOTS
        return all.filter { it.isPending && it.slot > forgotten }.randomOrNull(random)
    }

    private companion object {
        const val SLOT = 1_000_000_000L
    }
}

class RatioQuotaTest :
    FunSpec({
        fun Quota.retries(): Int {
            var paid = 0
            while (tryTake(RatioQuotaSettings.RETRY, null)) paid++
            return paid
        }

        test("the floor is so many retries a second of the window") {
            RatioQuotaSettings.FINAGLE.newQuota(TestClock()).retries() shouldBe 100
        }

        test("so many of a hundred successes can be retried") {
            checkAll(Arb.int(0..1_000), Arb.int(0..200)) { percent, successes ->
                val quota = RatioQuotaSettings {
                    this.percent = percent
                    perSecond = 0
                }.newQuota(TestClock())
                repeat(successes) { quota.succeeded(percent, null) }
                quota.retries() shouldBe percent * successes / 100
            }
        }

        test("a success after a retry adds as much as any other") {
            val quota = RatioQuotaSettings { perSecond = 0 }.newQuota(TestClock())
            repeat(10) { quota.succeeded(RatioQuotaSettings.RETRY, null) }
            quota.retries() shouldBe 2
        }

        test("successes are forgotten when the window has passed, and so is what was taken") {
            val clock = TestClock()
            val quota = RatioQuotaSettings.FINAGLE.newQuota(clock)
            repeat(100) { quota.succeeded(20, null) }
            quota.retries() shouldBe 120
            clock.pass(11.0)
            quota.retries() shouldBe 100
            clock.pass(5.0)
            quota.retries() shouldBe 0
            clock.pass(6.0)
            quota.retries() shouldBe 100
        }

        test("after a clock was set back, what was taken and what succeeded is forgotten when its window has passed") {
            val clock = TestClock()
            val quota = RatioQuotaSettings.FINAGLE.newQuota(clock)
            clock.pass(3_600.0)
            repeat(100) { quota.succeeded(20, null) }
            quota.retries() shouldBeGreaterThanOrEqual 100
            clock.pass(-3_600.0)
            quota.retries() shouldBe 0
            clock.pass(11.0)
            quota.retries() shouldBe 100
        }

        test("what it has and can have is as of now, though no retry has asked, and to look changes nothing") {
            val clock = TestClock()
            val quota = RatioQuotaSettings.FINAGLE.newQuota(clock)
            val unseen = RatioQuotaSettings.FINAGLE.newQuota(clock)
            quota.retries() shouldBe unseen.retries()
            quota.available shouldBe 0
            clock.pass(11.0)
            quota.available shouldBe quota.capacity
            repeat(100) { listOf(quota, unseen).forEach { it.succeeded(20, null) } }
            quota.capacity.shouldBeBetween(11_800, 12_000)
            clock.pass(40.0)
            quota.capacity.shouldBeBetween(10_000, 11_200)
            quota.retries() shouldBe unseen.retries()
        }

        test("successes between two failures count as evenly spread") {
            val clock = TestClock()
            val quota = RatioQuotaSettings { perSecond = 0 }.newQuota(clock)
            repeat(1_000) { quota.succeeded(20, null) }
            clock.pass(100.0)
            quota.retries().shouldBeBetween(19, 21)
        }

        test("in a steady state retries are that share of successes") {
            val clock = TestClock()
            val quota = RatioQuotaSettings { perSecond = 0 }.newQuota(clock)
            var paid = 0
            repeat(6_000) {
                clock.pass(0.1)
                quota.succeeded(20, null)
                if (quota.tryTake(RatioQuotaSettings.RETRY, null)) paid++
            }
            paid.shouldBeBetween(1_150, 1_250)
        }

        test(
            "no window has more retries than it pays for, whichever of them are made or come back within it, under any clock",
        ) {
            checkAll(2_000, Arb.long()) { seed ->
                val random = Random(seed)
                val clock = TestClock()
                val quota = RatioQuotaSettings { perSecond = 1 }.newQuota(clock)
                val model = Retries(clock)
                repeat(random.nextInt(10, 80)) {
                    when (random.nextInt(10)) {
                        in 0..3 -> if (quota.tryTake(RatioQuotaSettings.RETRY, null)) model.take()
                        4, 5 -> model.made(random)
                        6, 7 -> model.back(random)?.let { quota.giveBack(RatioQuotaSettings.RETRY, null) }
                        8 -> clock.pass(random.nextDouble(6.0))
                        else -> clock.pass(-random.nextDouble(2.0))
                    }
                    quota.tryTake(0, null)
                    val taken = quota.capacity - quota.available
                    taken shouldBeGreaterThanOrEqual model.inWindow * RatioQuotaSettings.RETRY
                    if (model.isExact) taken shouldBe model.inWindow * RatioQuotaSettings.RETRY
                }
            }
        }
    })
