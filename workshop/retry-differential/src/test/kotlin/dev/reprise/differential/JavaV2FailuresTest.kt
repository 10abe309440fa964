package dev.reprise.differential

import dev.reprise.core.RetryOutcome
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import kotlinx.coroutines.runBlocking
import software.amazon.awssdk.awscore.exception.AwsErrorDetails
import software.amazon.awssdk.awscore.exception.AwsServiceException
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import software.amazon.awssdk.retries.internal.DefaultRetryToken
import java.util.concurrent.ExecutionException

/** A failure as the SDK throws it, and the result or exception that an attempt of ours ends with. */
private class Failure(val name: String, val theirs: Throwable, val ours: Any)

private fun failure(status: Int, code: String?): Failure {
    val details = AwsErrorDetails.builder().errorCode(code).build()
    val theirs = AwsServiceException.builder().statusCode(status).awsErrorDetails(details).build()
    return Failure("$status $code", theirs, Response(status, code))
}

private val wraps: List<(Exception) -> Exception> = listOf(
    { it },
    { SdkClientException.create("x", it) },
    { ExecutionException(it) },
    { RuntimeException(RuntimeException(it)) },
)

/** The strategies that the SDK's clients have, with the conditions that they ask. */
private val clients: Map<JavaV2, () -> RetryStrategy> = mapOf(
    JavaV2.Legacy to {
        with(JavaV2.Legacy) { AwsRetryStrategy.legacyRetryStrategy().toBuilder().withoutJitter().build() }
    },
    JavaV2.Standard to {
        with(JavaV2.Standard) { AwsRetryStrategy.standardRetryStrategy(false).toBuilder().withoutJitter().build() }
    },
)

/** Failures as services and networks send them: what the SDK's own conditions make of them, the presets do too. */
class JavaV2FailuresTest :
    FunSpec({
        for ((sdk, strategy) in clients) {
            fun differences(failures: List<Failure>): List<String> {
                val ends = failures.map { Triple(it.name, play(it.theirs, strategy()), play(it.ours, sdk)) }
                // Failures that all end alike compare nothing.
                ends.map { it.second.isSuccess } shouldContainAll listOf(true, false)
                return ends.filter {
                    it.second != it.third
                }.map { "${it.first}: $sdk ${it.second}, Reprise ${it.third}" }
            }

            test("as $sdk: every code with every status") {
                differences(
                    Failures.statuses.flatMap { status -> Failures.codes.map { failure(status, it) } },
                ).shouldBeEmpty()
            }
            test("as $sdk: exceptions, bare and as causes") {
                val all = Failures.exceptions.flatMap { e -> wraps.map { it(e) } }.map { Failure("$it", it, it) }
                withClue(sdk) { differences(all).shouldBeEmpty() }
            }
        }
    })

/** One call under [strategy] whose first attempt fails with [failure], and whose second, if there is one, succeeds. */
private fun play(failure: Throwable, strategy: RetryStrategy): End {
    val first = strategy.acquireInitialToken(AcquireInitialTokenRequest.create("GLOBAL")).token()
    return try {
        val next = strategy.refreshRetryToken(RefreshRetryTokenRequest.builder().token(first).failure(failure).build())
        // Before the success, which gives back what was paid.
        val quota = (next.token() as DefaultRetryToken).capacityRemaining()
        strategy.recordSuccess(RecordSuccessRequest.create(next.token()))
        End(true, 2, listOf(next.delay().toNanos()), quota)
    } catch (e: TokenAcquisitionFailedException) {
        End(false, 1, emptyList(), (e.token() as DefaultRetryToken).capacityRemaining())
    }
}

/** The same call under our preset for [sdk]. */
private fun play(failure: Any, sdk: JavaV2): End {
    val waits = mutableListOf<Long>()
    val retrier = Reprise.retrier(sdk, Script(maxAttempts = 2, capacity = 500, calls = emptyList()), waits)
    var quota = retrier.quota!!.available
    val outcome = runBlocking {
        retrier.outcome {
            quota = retrier.quota!!.available
            if (it.number == 1) (failure as? Throwable)?.let { e -> throw e } ?: failure else "done"
        }
    }
    return End(outcome is RetryOutcome.Success, outcome.attempts, waits, quota)
}
