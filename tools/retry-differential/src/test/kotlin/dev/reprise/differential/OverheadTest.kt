@file:OptIn(InternalApi::class)

package dev.reprise.differential

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.retries.StandardRetryStrategy
import aws.smithy.kotlin.runtime.retries.getOrThrow
import aws.smithy.kotlin.runtime.retries.policy.StandardRetryPolicy
import aws.smithy.kotlin.runtime.telemetry.logging.LoggingContextElement
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.core.preset.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeLessThan
import kotlinx.coroutines.runBlocking

/** What a strategy adds to a call of the SDK. The best of many rounds, since other work only makes rounds slower. */
class OverheadTest :
    FunSpec({
        fun nanosOfACall(strategy: RetryStrategy): Double = (1..ROUNDS).minOf {
            runBlocking(LoggingContextElement(mapOf("rpc" to "Some.Operation"))) {
                val start = System.nanoTime()
                repeat(CALLS) { strategy.retry(StandardRetryPolicy.Default) { "done" }.getOrThrow() }
                (System.nanoTime() - start).toDouble() / CALLS
            }
        }

        test("a call that succeeds costs at most 200 ns more than under the SDK's own strategy") {
            val theirs = nanosOfACall(StandardRetryStrategy())
            val ours = nanosOfACall(RepriseRetryStrategy(Presets.named("standard-2.1")))
            println(
                "a call that succeeds: ${ours.toInt()} ns under Reprise, ${theirs.toInt()} ns under the SDK's own strategy",
            )
            ours shouldBeLessThan theirs + 200
        }
    }) {
    private companion object {
        const val ROUNDS = 40
        const val CALLS = 10_000
    }
}
