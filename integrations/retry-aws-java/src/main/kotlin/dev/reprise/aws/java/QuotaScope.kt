package dev.reprise.aws.java

import software.amazon.awssdk.core.SdkRequest
import software.amazon.awssdk.core.interceptor.ExecutionAttribute
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute

/**
 * Says which quota, and which send rate, a call belongs to: a table's, an operation's, a tenant's. The SDK itself has one
 * scope for a whole client. Asked by [the plugin][RepriseRetryStrategy.plugin] when a call begins; must not block.
 */
public fun interface QuotaScope {
    /** The scope of the call of [request], or `null` for the client's own quota. */
    public fun of(request: SdkRequest, attributes: ExecutionAttributes): String?

    public companion object {
        /** The scope that a request or an interceptor sets: `overrideConfiguration(o -> o.putExecutionAttribute(NAME, "…"))`. */
        @JvmField
        public val NAME: ExecutionAttribute<String> = ExecutionAttribute<String>("RepriseQuotaScope")

        /** The scope that [NAME] holds. */
        @JvmField
        public val BY_ATTRIBUTE: QuotaScope = QuotaScope { _, attributes -> attributes.getAttribute(NAME) }

        /** A scope for each operation, such as `DynamoDb.GetItem`. */
        @JvmField
        public val BY_OPERATION: QuotaScope = QuotaScope { _, attributes ->
            val service = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME)
            val operation = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME)
            if (operation == null) null else "$service.$operation"
        }

        /** A scope for each value of the request's [field], such as `TableName`; none for requests without it. */
        @JvmStatic
        public fun byField(field: String): QuotaScope =
            QuotaScope { request, _ -> request.getValueForField(field, String::class.java).orElse(null) }
    }
}
