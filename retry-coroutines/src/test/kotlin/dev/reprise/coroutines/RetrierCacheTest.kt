package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import kotlinx.coroutines.withContext

/** A retrier for each destination, as users make them. */
@OptIn(ExperimentalCoroutinesApi::class)
class RetrierCacheTest :
    FunSpec({
        val policy = RetryPolicy { sendRate = SendRateSettings.EXACT }

        test("a destination that throttles slows down no other") {
            runTest {
                val clock = testTimeSource.asNanoClock()
                val retriers = RetrierCache<String, Retrier>(2) { Retrier.builder(policy).clock(clock).build() }
                retriers["busy"].sendRate!!.record(throttled = true, sentAt = 0, now = clock.nanoTime())
                retriers["idle"] { "done" } shouldBe "done"
                currentTime shouldBe 0
                retriers["busy"] { "done" } shouldBe "done"
                currentTime shouldBe 2000
            }
        }

        test("who waits at a destination that is dropped meanwhile is served all the same, and in order") {
            runTest {
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
        }

        test("many coroutines over more destinations than are kept all succeed") {
            val retriers = RetrierCache<Int, Retrier>(8) { Retrier(policy) }
            withContext(Dispatchers.Default) {
                List(8) { seed ->
                    launch {
                        val random = kotlin.random.Random(seed)
                        repeat(2000) {
                            val key = random.nextInt(12)
                            retriers[key] { key } shouldBe key
                        }
                    }
                }.joinAll()
            }
            retriers.size shouldBeLessThanOrEqual 8
        }

        test("the destinations that are used last stay") {
            val retriers = RetrierCache<String, Retrier>(2) { Retrier(policy) }
            val a = retriers["a"]
            val b = retriers["b"]
            retriers["a"] { }
            retriers["c"] { }
            retriers["a"] shouldBeSameInstanceAs a
            retriers["b"] shouldNotBeSameInstanceAs b
        }
    })
