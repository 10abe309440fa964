package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.ServiceErrorMetadata
import aws.smithy.kotlin.runtime.ServiceException
import aws.smithy.kotlin.runtime.http.response.HttpResponse
import dev.reprise.core.HttpOutcome

/** The response that a service's exception came from, as the classifiers and the server-delay rules read it. */
internal class SdkResponse private constructor(private val error: ServiceErrorMetadata) : HttpOutcome() {
    private val response = error.protocolResponse as? HttpResponse

    /** The status, or [NO_STATUS] where the protocol has none: then only the error code counts. */
    override val status: Int get() = response?.status?.value ?: NO_STATUS
    override val errorCode: String? get() = error.errorCode
    override val errorMessage: String? get() = error.errorMessage

    /** The SDK has just received it. */
    override val receivedAtEpochMillis: Long = System.currentTimeMillis()

    override fun header(name: String): String? = response?.headers?.get(name)

    companion object {
        private const val NO_STATUS = 0

        /** The response behind [failure], or `null` if it is not a service's. */
        fun of(failure: Throwable): SdkResponse? =
            (failure as? ServiceException)?.let { SdkResponse(it.sdkErrorMetadata) }
    }
}
