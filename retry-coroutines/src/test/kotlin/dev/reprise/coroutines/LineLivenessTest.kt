package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.time.Duration.Companion.nanoseconds

private const val MILLI = 1_000_000L

/** The slowest that a limiter of the exact algorithm goes: one permit in two seconds. */
private const val SLOWEST_MILLIS = 2_000L

/** Comes at [at] ms, waits as [noPermit] says and up to [deadline] ms later, and is cancelled [leaves] ms later. */
private class Caller(val at: Int, val noPermit: NoPermit, val deadline: Int?, val leaves: Int?) {
    val staysForEver get() = noPermit == NoPermit.Wait && deadline == null && leaves == null

    override fun toString(): String = "at $at: $noPermit, deadline $deadline, leaves $leaves"
}

private fun callers() = arbitrary {
    Caller(
        Arb.int(0..5_000).bind(),
        Arb.element(
            NoPermit.Wait,
            NoPermit.Wait,
            NoPermit.Fail,
            NoPermit.waitAtMost((3_000 * MILLI).nanoseconds),
        ).bind(),
        Arb.element(null, null, 0, 1_000, 9_000).bind(),
        Arb.element(null, null, null, 1, 2_000, 2_001, 7_000).bind(),
    )
}

@OptIn(ExperimentalCoroutinesApi::class)
class LineLivenessTest :
    FunSpec({
        test("each caller is served, refused or gone, within a time that the callers before it bound") {
            checkAll(300, Arb.list(callers(), 1..30), Arb.list(Arb.int(0..2), 0..30)) { callers, answers ->
                runTest {
                    val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
                    val line = SendRateLine.of(rate, { currentTime * MILLI }, Waiter.DELAY)
                    val answered = { isThrottled: Boolean ->
                        rate.record(isThrottled, sentAt = currentTime * MILLI, now = currentTime * MILLI)
                    }
                    answered(true)
                    launch {
                        for (answer in answers) {
                            delay(300)
                            answered(answer == 0)
                        }
                    }
                    val waits = callers.map { caller ->
                        async {
                            delay(caller.at.toLong())
                            val end = caller.deadline?.let { (currentTime + it) * MILLI } ?: UNLIMITED_NANOS
                            withTimeoutOrNull(caller.leaves?.toLong() ?: Long.MAX_VALUE) {
                                line.acquire(caller.noPermit, end)
                            }
                        }
                    }.awaitAll()

                    line.waiting shouldBe 0
                    for ((caller, wait) in callers zip waits) {
                        if (caller.staysForEver) wait!! shouldBeGreaterThanOrEqual 0
                        if (caller.leaves == null) (wait != null) shouldBe true
                    }
                    // A delay of coroutines is rounded up to the next ms.
                    val longest = callers.maxOf { it.at } + callers.size * (SLOWEST_MILLIS + 1)
                    currentTime shouldBeLessThanOrEqual maxOf(longest, answers.size * 300L)
                }
            }
        }
    })
