package dev.reprise.differential

import com.amazonaws.AmazonClientException
import com.amazonaws.AmazonServiceException
import com.amazonaws.AmazonWebServiceRequest
import com.amazonaws.retry.PredefinedRetryPolicies
import com.amazonaws.retry.RetryUtils
import dev.reprise.core.FailureKind
import dev.reprise.core.Verdict
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll

private const val FINAL = "final"
private const val TRANSIENT = "transient"
private const val THROTTLING = "throttling"

/** The AWS SDK for Java v1's own condition and our preset judge the same answers and exceptions. */
class JavaV1FailuresTest :
    FunSpec({
        val classifier = Presets.named("java-v1").classifier

        fun theirs(failure: AmazonClientException) = when {
            !PredefinedRetryPolicies.DEFAULT_RETRY_CONDITION.shouldRetry(AmazonWebServiceRequest.NOOP, failure, 0) ->
                FINAL

            RetryUtils.isThrottlingException(failure) -> THROTTLING

            else -> TRANSIENT
        }

        fun ours(verdict: Verdict?) = when {
            verdict !is Verdict.Retry -> FINAL
            verdict.kind == FailureKind.THROTTLING -> THROTTLING
            else -> TRANSIENT
        }

        test("every code with every status, and with a status in front") {
            val kinds = Failures.statuses.flatMap { status ->
                val fronts = listOf("", "$status ", "$status", "$status\t", "$status\u00A0", "999 ")
                Failures.codes.flatMap { code ->
                    if (code == null) listOf(null) else fronts.map { it + code }
                }.map { code ->
                    val failure = AmazonServiceException("x").apply {
                        statusCode = status
                        errorCode = code
                    }
                    Triple("$status $code", theirs(failure), ours(classifier.classifyResult(Response(status, code))))
                }
            }
            kinds.map { it.second } shouldContainAll listOf(FINAL, TRANSIENT, THROTTLING)
            kinds.filter { it.second != it.third }.shouldBeEmpty()
        }

        test("exceptions, as causes") {
            val failures = Failures.exceptions.flatMap { listOf(it, RuntimeException(it)) }
                .map { AmazonClientException("x", it) }
            failures.map(::theirs) shouldContainAll listOf(FINAL, TRANSIENT)
            failures.filter { theirs(it) != ours(classifier.classifyFailure(it)) }.shouldBeEmpty()
        }
    })
