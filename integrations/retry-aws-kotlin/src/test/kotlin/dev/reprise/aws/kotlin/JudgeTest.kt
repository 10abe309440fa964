@file:OptIn(InternalApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.ErrorMetadata
import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.ServiceErrorMetadata
import aws.smithy.kotlin.runtime.ServiceException
import aws.smithy.kotlin.runtime.http.Headers
import aws.smithy.kotlin.runtime.http.HttpBody
import aws.smithy.kotlin.runtime.http.HttpStatusCode
import aws.smithy.kotlin.runtime.http.response.HttpResponse
import aws.smithy.kotlin.runtime.retries.Outcome
import aws.smithy.kotlin.runtime.retries.RetryFailureException
import aws.smithy.kotlin.runtime.retries.TooManyAttemptsException
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import aws.smithy.kotlin.runtime.retries.policy.StandardRetryPolicy
import dev.reprise.build.httpDate
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Exhaustive
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.cartesian
import io.kotest.property.exhaustive.enum
import io.kotest.property.exhaustive.of
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withTimeout
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

private class Unmodelled : IOException("a failure that no table knows as final")

private class Modelled(isRetryable: Boolean, isThrottling: Boolean = false) : ServiceException("modelled") {
    init {
        sdkErrorMetadata.attributes[ErrorMetadata.Retryable] = isRetryable
        sdkErrorMetadata.attributes[ErrorMetadata.ThrottlingError] = isThrottling
        sdkErrorMetadata.attributes[ServiceErrorMetadata.ErrorType] = ErrorType.Client
        sdkErrorMetadata.attributes[ServiceErrorMetadata.ErrorCode] = "Modelled"
    }
}

private fun coded(code: String) = ServiceException("coded").apply {
    sdkErrorMetadata.attributes[ServiceErrorMetadata.ErrorCode] = code
}

private fun strategy(policy: RetryPolicy, notes: Notes = Notes(), verdicts: SdkVerdicts = SdkVerdicts.ADD) =
    RepriseRetryStrategy {
        retrier = notes.retrier(policy)
        sdkVerdicts = verdicts
    }

/** How many attempts a call makes whose every attempt throws [failure]. */
private suspend fun attempts(
    failure: Throwable,
    verdicts: SdkVerdicts = SdkVerdicts.ADD,
    policy: RetryPolicy = Presets.named("standard-2.1"),
    sdk: SdkRetryPolicy<Any?> = StandardRetryPolicy.Default,
): Int {
    var attempts = 0
    shouldThrow<Throwable> {
        strategy(policy, verdicts = verdicts).retry(sdk) {
            attempts++
            throw failure
        }
    } shouldBeSameInstanceAs failure
    return attempts
}

class JudgeTest :
    FunSpec({
        test("what the service's model calls retryable is retried unless the policy alone decides") {
            attempts(Modelled(isRetryable = true)) shouldBe 3
            attempts(Modelled(isRetryable = true), SdkVerdicts.LIMIT) shouldBe 3
            attempts(Modelled(isRetryable = true), SdkVerdicts.IGNORE) shouldBe 1
            attempts(Modelled(isRetryable = false)) shouldBe 1
        }

        test("what the policy retries is retried unless the client's policy limits it") {
            attempts(coded("Throttling")) shouldBe 3
            attempts(coded("Throttling"), SdkVerdicts.IGNORE) shouldBe 3
            attempts(coded("Throttling"), SdkVerdicts.LIMIT) shouldBe 1
            attempts(Unmodelled()) shouldBe 3
            attempts(Unmodelled(), SdkVerdicts.LIMIT) shouldBe 1
        }

        test("what a rule rejects by its type is final, whatever the client says") {
            val policy = RetryPolicy { rejectOn<Modelled>() }
            checkAll(Exhaustive.enum<SdkVerdicts>()) { attempts(Modelled(isRetryable = true), it, policy) shouldBe 1 }
        }

        test("what a rule retries by its type is retried, though the client says nothing of it") {
            val policy = RetryPolicy { retryOn<IllegalStateException>() }
            attempts(IllegalStateException("mine"), policy = policy) shouldBe 3
        }

        test("the verdicts follow one law: the policy's, and the client's as far as it counts") {
            val types = Exhaustive.of("retry", "reject", "none")
            checkAll(
                Exhaustive.cartesian(types, Exhaustive.of(true, false), Exhaustive.enum<SdkVerdicts>(), ::Triple),
            ) { (ours, theirs, counts) ->
                val policy = RetryPolicy {
                    onFailure {
                        if (ours == "retry") {
                            Verdict.TRANSIENT
                        } else if (ours == "reject") {
                            Verdict.Reject
                        } else {
                            null
                        }
                    }
                }
                val sdk = sdkPolicy {
                    if (theirs) RetryDirective.RetryError(RetryErrorType.Transient) else RetryDirective.TerminateAndFail
                }
                val isRetried = when (counts) {
                    SdkVerdicts.ADD -> ours == "retry" || (theirs && ours != "reject")
                    SdkVerdicts.IGNORE -> ours == "retry"
                    SdkVerdicts.LIMIT -> theirs && ours != "reject"
                }
                attempts(IllegalStateException("any"), counts, policy, sdk) shouldBe if (isRetried) 3 else 1
            }
        }

        test("time limits are the policy's own, whatever the client says of failures") {
            val policy = RetryPolicy { attemptTimeout = 20.milliseconds }
            checkAll(Exhaustive.enum<SdkVerdicts>()) { verdicts ->
                runTest {
                    var attempts = 0
                    strategy(policy, verdicts = verdicts).retry(StandardRetryPolicy.Default) {
                        if (++attempts < 3) delay(1.seconds)
                    }
                    attempts shouldBe 3
                }
                runTest {
                    var attempts = 0
                    strategy(RetryPolicy.STANDARD, verdicts = verdicts).retry(StandardRetryPolicy.Default) {
                        withTimeout(20.milliseconds) { if (++attempts < 3) delay(1.seconds) }
                    }
                    attempts shouldBe 3
                }
            }
        }

        test("a throttle of the model's costs and waits as one") {
            val notes = Notes()
            runCatching {
                strategy(Presets.named("standard-2.1"), notes).retry(StandardRetryPolicy.Default) {
                    throw Modelled(isRetryable = true, isThrottling = true)
                }
            }
            notes.all<RetryEvent.RetryScheduled>().map { it.kind } shouldBe List(2) { FailureKind.THROTTLING }
        }

        test("the client's directive says whether a retry of another's exception, or of a result, is a throttle") {
            val outcomes = listOf<suspend () -> Any?>({ throw IllegalStateException("another's") }, { "a result" })
            for (reason in RetryErrorType.entries) {
                for (outcome in outcomes) {
                    val notes = Notes()
                    runCatching {
                        strategy(Presets.named("standard-2.1"), notes)
                            .retry(sdkPolicy { RetryDirective.RetryError(reason) }) { outcome() }
                    }
                    val kind =
                        if (reason == RetryErrorType.Throttling) FailureKind.THROTTLING else FailureKind.TRANSIENT
                    notes.all<RetryEvent.RetryScheduled>().map { it.kind } shouldBe listOf(kind, kind)
                }
            }
        }

        test("a rule on an error's message reads what the service says") {
            val failure = coded("Refused").apply {
                sdkErrorMetadata.attributes[ServiceErrorMetadata.ErrorMessage] = "Rate exceeded"
            }
            val policy = RetryPolicy {
                onResult { if ((it as? HttpOutcome)?.errorMessage == "Rate exceeded") Verdict.THROTTLING else null }
            }
            attempts(failure, policy = policy) shouldBe 3
            SdkResponse.of(failure).toString() shouldBe "HTTP 0 Refused"
            SdkResponse.of(IOException("reset")) shouldBe null
        }

        test(
            "a Retry-After that is a date is counted from when the response came, if the server told no date of its own",
        ) {
            val policy = RetryPolicy.HTTP.with { noBackoff() }
            for ((minutes, made) in listOf(10L to 1, -10L to 3)) {
                val date = httpDate(Duration.ofMinutes(minutes))
                val failure = ServiceException("busy").apply {
                    sdkErrorMetadata.attributes[ServiceErrorMetadata.ProtocolResponse] = HttpResponse(
                        HttpStatusCode.ServiceUnavailable,
                        Headers { append("Retry-After", date) },
                        HttpBody.Empty,
                    )
                }
                attempts(failure, policy = policy) shouldBe made
            }
        }

        test("a failure that the client accepts is the call's outcome, and a success") {
            val notes = Notes()
            val failure = ServiceException("not found, as hoped")
            val outcome = strategy(Presets.named("standard-2.1"), notes).retry<Unit>(
                sdkPolicy { RetryDirective.TerminateAndSucceed },
            ) {
                throw failure
            }
            outcome shouldBe Outcome.Exception(1, failure)
            notes.all<RetryEvent.CallSucceeded>().size shouldBe 1
        }

        test("a result that the client would retry is retried, and thrown as the SDK throws it") {
            val notes = Notes()
            var attempts = 0
            val end = shouldThrow<TooManyAttemptsException> {
                strategy(Presets.named("standard-2.1"), notes)
                    .retry(sdkPolicy { RetryDirective.RetryError(RetryErrorType.Transient) }) { ++attempts }
            }
            attempts shouldBe 3
            end.attempts shouldBe 3
            end.lastResponse shouldBe 3
            RetryTrace.of(end)!!.reason shouldBe StopReason.ATTEMPTS
            end.stackTraceToString().split("Suppressed: RetryTrace").size shouldBe 2
            end.cause!!.message shouldBe "the client's retry policy does not accept java.lang.Integer"
        }

        test("a result that the client rejects is final") {
            val end = shouldThrow<RetryFailureException> {
                strategy(Presets.named("standard-2.1")).retry(sdkPolicy { RetryDirective.TerminateAndFail }) { "no" }
            }
            end.attempts shouldBe 1
            end.lastResponse shouldBe "no"
        }

        test("a client's policy that throws ends the call with what it throws") {
            val bug = IllegalArgumentException("bug")
            val retrier = Notes().retrier(Presets.named("standard-2.1"))
            for (isSuccess in listOf(true, false)) {
                shouldThrow<IllegalArgumentException> {
                    RepriseRetryStrategy(retrier).retry<Unit>(
                        sdkPolicy { throw bug },
                    ) { if (!isSuccess) throw IOException("reset") }
                }
            }
            retrier.quota!!.available shouldBe 500
        }

        test("a result that is null is a result") {
            strategy(Presets.named("standard-2.1")).retry(StandardRetryPolicy.Default) { null } shouldBe
                Outcome.Response(1, null)
        }
    })
