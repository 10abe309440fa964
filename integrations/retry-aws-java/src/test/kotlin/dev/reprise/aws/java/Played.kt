package dev.reprise.aws.java

import software.amazon.awssdk.awscore.exception.AwsErrorDetails
import software.amazon.awssdk.awscore.exception.AwsServiceException
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.exception.SdkException
import software.amazon.awssdk.http.SdkHttpResponse
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.retries.api.RetryToken
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.io.IOException

/** What a call came to: its attempts, its waits in ns, and what it failed with. */
data class Played(val attempts: Int, val waits: List<Long>, val failure: Throwable?)

/** A failure as the SDK makes it of a service's response. */
fun serviceFailure(
    status: Int,
    code: String? = null,
    service: String = "S3",
    headers: Map<String, String> = emptyMap(),
): AwsServiceException {
    val response = SdkHttpResponse.builder().statusCode(status)
    headers.forEach { (name, value) -> response.putHeader(name, value) }
    val details = AwsErrorDetails.builder().errorCode(code).serviceName(service).sdkHttpResponse(response.build())
    return AwsServiceException.builder().statusCode(
        status,
    ).awsErrorDetails(details.build()).build() as AwsServiceException
}

/** A failure as the SDK makes it of one between client and server. */
fun transportFailure(cause: IOException): SdkClientException =
    SdkClientException.create("Unable to execute HTTP request: ${cause.message}", cause)

fun RetryStrategy.begin(): RetryToken = acquireInitialToken(AcquireInitialTokenRequest.create("GLOBAL")).token()

fun refresh(token: RetryToken, failure: Throwable, polls: Boolean = false): RefreshRetryTokenRequest =
    RefreshRetryTokenRequest.builder().token(token).failure(failure).isLongPolling(polls).build()

/** Does what the SDK's stage does, with attempts that end as [outcomes] say; `null` and beyond the end is a success. */
fun RetryStrategy.play(outcomes: List<SdkException?>, polls: Boolean = false): Played {
    var token = begin()
    val waits = mutableListOf<Long>()
    for ((i, failure) in (outcomes + null).withIndex()) {
        if (failure == null) {
            recordSuccess(RecordSuccessRequest.create(token))
            return Played(i + 1, waits, null)
        }
        try {
            val next = refreshRetryToken(refresh(token, failure, polls))
            token = next.token()
            if (!next.delay().isZero) waits += next.delay().toNanos()
        } catch (e: TokenAcquisitionFailedException) {
            e.delay().ifPresent { waits += it.toNanos() }
            return Played(i + 1, waits, failure)
        }
    }
    error("an attempt beyond the script succeeds")
}
