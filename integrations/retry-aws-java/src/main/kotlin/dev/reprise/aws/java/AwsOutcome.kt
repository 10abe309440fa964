package dev.reprise.aws.java

import dev.reprise.core.HttpOutcome
import software.amazon.awssdk.awscore.exception.AwsErrorDetails
import software.amazon.awssdk.awscore.exception.AwsServiceException
import software.amazon.awssdk.core.exception.SdkServiceException

/** The response that a service's exception was made of, as the classifiers see it. */
internal class AwsOutcome(private val failure: SdkServiceException) : HttpOutcome() {
    private val details: AwsErrorDetails? = (failure as? AwsServiceException)?.awsErrorDetails()

    override val status: Int get() = failure.statusCode()
    override val errorCode: String? get() = details?.errorCode()
    override val errorMessage: String? get() = details?.errorMessage()

    /** The SDK has just received it. */
    override val receivedAtEpochMillis: Long get() = System.currentTimeMillis()

    override fun header(name: String): String? = details?.sdkHttpResponse()?.firstMatchingHeader(name)?.orElse(null)
}

/** The name of the service that [failure] came from, such as `DynamoDb`; `null` if no service did. */
internal fun serviceOf(failure: Throwable): String? =
    (failure as? AwsServiceException)?.awsErrorDetails()?.serviceName()
