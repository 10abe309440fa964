@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetryPolicy
import dev.reprise.test.FaultProbe
import dev.reprise.test.Finding.Kind
import dev.reprise.test.Subject
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.FileNotFoundException
import java.io.IOException

/** The kit finds each kind of defect that the guide's table counts, and nothing in code that is sound. */
class MiniaturesTest :
    FunSpec({
        val probe = FaultProbe({ IOException("reset") }).withFinal({ FileNotFoundException("no such file") })

        fun kinds(subject: Subject, by: FaultProbe = probe) = by.findings(subject).map { it.kind }.distinct()

        test("a wrong classification") { kinds(wrongClassification) shouldBe listOf(Kind.RETRIED_IN_VAIN) }

        test("no retry at all") { kinds(noRetry) shouldBe listOf(Kind.NO_RETRY) }

        test("cancelled work that goes on") {
            kinds(cancelledWorkGoesOn).contains(Kind.REPEATED_AFTER_CANCELLATION) shouldBe true
        }

        test("no delay") { kinds(noDelay) shouldBe listOf(Kind.MISSING_DELAY) }

        test("no cap") { kinds(noCap) shouldBe listOf(Kind.MISSING_CAP) }

        test("state that is not reset") { kinds(stateNotReset) shouldBe listOf(Kind.STATE_NOT_RESET) }

        test("a race in tracking attempts") {
            kinds(racingCount, FaultProbe({ IOException("reset") })) shouldBe
                listOf(Kind.SHARED_STATE)
        }

        test("work that must not be done twice") {
            kinds(paidTwice, FaultProbe({ IOException("reset") }).ofUnsafeWork()) shouldBe listOf(Kind.UNSAFE_REPEAT)
        }

        test("a failure that is lost") { kinds(lostFailure) shouldBe listOf(Kind.LOST_FAILURE) }

        test("a sound loop, and Reprise") {
            probe.assertSound(soundLoop)
            val policy = RetryPolicy {
                retryOn<IOException>()
                rejectOn<FileNotFoundException>()
            }
            probe.assertSound(
                Subject.suspending { time, fetch ->
                    val retrier = time.retrier(policy)
                    suspend { retrier { fetch() } }
                },
            )
        }
    })
