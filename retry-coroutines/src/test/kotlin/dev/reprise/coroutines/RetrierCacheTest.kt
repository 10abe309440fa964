package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.testTimeSource

/** A retrier for each destination, as users make them. */
@OptIn(ExperimentalCoroutinesApi::class)
class RetrierCacheTest :
    FunSpec({
        val policy = RetryPolicy { sendRate = SendRateSettings.EXACT }

        virtual("a destination that throttles slows down no other") {
            val clock = testTimeSource.asNanoClock()
            val retriers = RetrierCache<String, Retrier>(2) { Retrier.builder(policy).clock(clock).build() }
            retriers["busy"].sendRate!!.record(throttled = true, sentAt = 0, now = clock.nanoTime())
            retriers["idle"] { "done" } shouldBe "done"
            currentTime shouldBe 0
            retriers["busy"] { "done" } shouldBe "done"
            currentTime shouldBe 2000
        }

        virtual("who waits at a destination that is dropped meanwhile is served all the same, and in order") {
            val clock = testTimeSource.asNanoClock()
            val retriers = RetrierCache<String, Retrier>(1) { Retrier.builder(policy).clock(clock).build() }
            val busy = retriers["busy"]
            busy.sendRate!!.record(throttled = true, sentAt = 0, now = clock.nanoTime())
            val first = async { busy.setup.line!!.acquire(NoPermit.Wait, UNLIMITED_NANOS) }
            val second = async { busy.setup.line!!.acquire(NoPermit.Wait, UNLIMITED_NANOS) }
            testScheduler.runCurrent()
            retriers["other"] { }
            retriers["busy"] shouldNotBeSameInstanceAs busy
            first.await() shouldBe 2_000_000_000
            second.await() shouldBe 4_000_000_000
        }
    })
