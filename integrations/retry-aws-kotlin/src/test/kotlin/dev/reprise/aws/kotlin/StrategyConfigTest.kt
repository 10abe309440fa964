@file:OptIn(InternalApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import aws.smithy.kotlin.runtime.telemetry.logging.LoggingContextElement
import dev.reprise.build.logged
import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.withContext
import java.io.IOException

class StrategyConfigTest :
    FunSpec({
        val five = RetryPolicy { maxAttempts = 5 }
        val seven = RetryPolicy { maxAttempts = 7 }

        test("the policy is one's own, or the retrier's, or standard mode") {
            val seen = mutableListOf<RetryPolicy>()
            RepriseRetryStrategy {
                seen += policy
                seen += policy.with { maxAttempts = this@RepriseRetryStrategy.maxAttempts }
                retrier = Notes().retrier(five)
                seen += policy
                policy = seven
                seen += policy
            }.retrier.policy shouldBe seven
            seen shouldBe listOf(RetryPolicy.STANDARD, RetryPolicy.STANDARD, five, seven)
        }

        test("a hedge, which sends no copy here, is told once") {
            val strategy = RepriseRetryStrategy(RetryPolicy { hedge = Hedge() })
            val succeeds = sdkPolicy { RetryDirective.TerminateAndSucceed }
            val told = logged("dev.reprise") { inTime { repeat(2) { strategy.retry(succeeds) { "done" } } } }
            told.map { it.message } shouldBe listOf("a policy has a hedge, and an AWS client sends no copies")
        }

        test("more attempts are a change of the retrier's policy") {
            val shared = Notes().retrier(five)
            val strategy = RepriseRetryStrategy {
                retrier = shared
                maxAttempts = 7
            }
            strategy.retrier.policy shouldBe seven
            strategy.retrier.quota shouldBeSameInstanceAs shared.quota
        }

        test("attempts change the policy of a retrier that is set after them too, and a later policy replaces both") {
            val shared = Notes().retrier(five.with { backoff = Backoff.IMMEDIATE })
            val strategy = RepriseRetryStrategy {
                maxAttempts = 7
                retrier = shared
            }
            strategy.retrier.policy shouldBe seven.with { backoff = Backoff.IMMEDIATE }
            RepriseRetryStrategy {
                maxAttempts = 7
                policy = five
            }.retrier.policy shouldBe five
        }

        test("a strategy from another's configuration has its retrier, verdicts and long polls") {
            val notes = Notes()
            val original = RepriseRetryStrategy {
                retrier = notes.retrier(RetryPolicy.STANDARD, quota = RetryQuota(500, 0))
                sdkVerdicts = SdkVerdicts.LIMIT
                longPoll("Orders.NextOrder")
            }
            val copy = RepriseRetryStrategy { original.config.toBuilderApplicator()(this) }
            copy.retrier shouldBeSameInstanceAs original.retrier
            copy.config.maxAttempts shouldBe 3

            fun final() = sdkPolicy { RetryDirective.TerminateAndFail }
            fun transient() = sdkPolicy { RetryDirective.RetryError(RetryErrorType.Transient) }
            withContext(LoggingContextElement(mapOf("rpc" to "Orders.NextOrder"))) {
                runCatching { copy.retry(final()) { throw IOException("reset") } }
                runCatching { copy.retry(transient()) { throw IOException("reset") } }
            }
            notes.all<RetryEvent.CallGaveUp>().map { it.reason } shouldBe listOf(StopReason.REJECTED, StopReason.QUOTA)
            // The long poll's failure was delayed.
            notes.waits.size shouldBe 1
        }

        test("in a log, strategy and configuration show the retrier") {
            val strategy = RepriseRetryStrategy(five)
            strategy.toString() shouldBe "RepriseRetryStrategy(${strategy.retrier})"
            strategy.config.toString() shouldBe "StrategyConfig(${strategy.retrier})"
            strategy.retrier.toString() shouldStartWith "Retrier("
        }
    })
