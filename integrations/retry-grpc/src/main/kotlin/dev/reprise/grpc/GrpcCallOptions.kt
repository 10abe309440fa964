package dev.reprise.grpc

import dev.reprise.core.Repeat
import io.grpc.CallOptions
import dev.reprise.core.CallOptions as RetryOptions

/**
 * A call's own retry settings: an option of gRPC's call options.
 *
 * ```kotlin
 * val options = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT)
 * ```
 */
public object GrpcCallOptions {
    /**
     * Names the operation for listeners, says how long the call may take, and whether it may be repeated. The method
     * decides that if the options do not.
     */
    @JvmField
    public val KEY: CallOptions.Key<RetryOptions> = CallOptions.Key.create("dev.reprise.grpc.options")

    /** Sends the request once. */
    @JvmField
    public val NO_RETRY: RetryOptions = RetryOptions { repeat = Repeat.NEVER }

    /** Doing the request more than once does no harm. */
    @JvmField
    public val IDEMPOTENT: RetryOptions = RetryOptions { repeat = Repeat.SAFE }
}
