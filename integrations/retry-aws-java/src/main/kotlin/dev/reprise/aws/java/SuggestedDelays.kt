package dev.reprise.aws.java

import software.amazon.awssdk.http.SdkHttpResponse

/**
 * Takes negative delays out of responses. The SDK reads these headers before it asks the strategy, and a negative number
 * makes it throw an `IllegalArgumentException` in place of the service's own exception.
 */
internal object SuggestedDelays {
    private val headers = listOf("Retry-After", "x-amz-retry-after")

    /** [response] without headers that would throw; the same object unless it has one. */
    fun harmless(response: SdkHttpResponse): SdkHttpResponse {
        if (response.isSuccessful) return response
        val bad = headers.filter { name -> response.firstMatchingHeader(name).orElse("").startsWith('-') }
        if (bad.isEmpty()) return response
        return response.toBuilder().apply { bad.forEach(::removeHeader) }.build()
    }
}
