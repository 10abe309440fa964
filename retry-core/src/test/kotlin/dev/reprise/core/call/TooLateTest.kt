package dev.reprise.core.call

import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineException
import dev.reprise.core.Recorder
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.StopReason
import dev.reprise.core.classify.Classifier
import dev.reprise.core.quota.TokenBucketSettings
import dev.reprise.core.rate.SendRate
import dev.reprise.core.rate.SendRateSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

class TooLateTest :
    FunSpec({
        test("a call that begins after its deadline makes no attempt and ends for the deadline, whatever the policy") {
            checkAll(Arb.int(1..3), Arb.int(0..1), Arb.boolean(), Arb.boolean(), Arb.element(-5L, 0L)) {
                    attempts,
                    capacity,
                    isAdaptive,
                    isOutcome,
                    left,
                ->
                val policy = RetryPolicy {
                    maxAttempts = attempts
                    quota = TokenBucketSettings { this.capacity = capacity * 100 + 1 }
                    classifier = Classifier.NONE
                    if (isAdaptive) sendRate = SendRateSettings.EXACT
                }
                val told = Recorder()
                val shell = Shell(policy, listOf(told))
                val rate = policy.sendRate?.let { SendRate(it, 0) }
                val setup = CallSetup(policy, shell.quota, rate, listOf(told), { 7 }, { 1.0 })
                val options = CallOptions.DEFAULT.within(left)
                val call = setup.begin(options, ResultKind.VALUE, isOutcome)
                call.next shouldBe NextStep.DONE
                val outcome = call.outcome().shouldBeInstanceOf<RetryOutcome.Failure>()
                outcome.reason shouldBe StopReason.DEADLINE
                outcome.attempts shouldBe 0
                val failure = outcome.failure.shouldBeInstanceOf<DeadlineException>()
                failure.attempts shouldBe 0
                if (!isOutcome) call.failure() shouldBe failure
                shell.quota!!.available shouldBe policy.quota!!.capacity
                told.events.map { it::class } shouldBe
                    listOf(RetryEvent.CallStarted::class, RetryEvent.CallGaveUp::class)
            }
        }
    })
