package dev.reprise.aws.java

import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryListener
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import software.amazon.awssdk.retries.api.RetryToken
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.time.Duration

private const val MILLI = 1_000_000L

/** What DynamoDB waits before the second attempt, at most. */
private const val FIRST_WAIT = 25

class TakenOverTest :
    FunSpec({
        test("a call whose service only its first failure tells keeps the deadline of a source, asked when it began") {
            val preset = Presets.find("standard-2.1")!!
            checkAll(200, Arb.int(1..60), Arb.int(0..60), Arb.boolean()) { limit, takes, isWatched ->
                var now = 7 * MILLI
                var asked = 0
                val root = Retrier(preset.policy()) {
                    clock = NanoClock { now }
                    draws = RandomSource { 1.0 }
                    deadlines = DeadlineSource {
                        asked++
                        Duration.ofMillis(limit.toLong())
                    }
                    if (isWatched) listener(RetryListener {})
                }
                val retriers = Retriers(root, PolicySource.of(preset), null, QuotaScope.BY_ATTRIBUTE)
                val call = AwsCall(retriers, context = null, service = null)
                call.firstAttempt()
                now += takes * MILLI
                val failed = refresh(object : RetryToken {}, serviceFailure(500, service = "DynamoDB"))
                if (takes + FIRST_WAIT < limit) {
                    call.attemptFailed(failed) shouldBe Duration.ofMillis(FIRST_WAIT.toLong())
                } else {
                    shouldThrow<TokenAcquisitionFailedException> { call.attemptFailed(failed) }
                }
                asked shouldBe 1
            }
        }
    })
