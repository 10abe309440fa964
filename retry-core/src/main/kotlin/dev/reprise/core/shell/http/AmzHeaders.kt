package dev.reprise.core.shell.http

import dev.reprise.core.RetriesSwitch
import dev.reprise.core.shell.ShellApi
import java.util.UUID

/** The headers by which AWS services tell the attempts of one call apart, as their SDKs send them. Immutable. */
@ShellApi
public class AmzHeaders private constructor(
    /** The value of [INVOCATION_ID], the same in all attempts of the call. */
    public val invocation: String,
    private val maxAttempts: Int,
) {
    /** The value of [REQUEST] in the attempt of this number, such as `attempt=2; max=3`. */
    public fun request(attempt: Int): String =
        if (maxAttempts == Int.MAX_VALUE) "attempt=$attempt" else "attempt=$attempt; max=${maxOf(attempt, maxAttempts)}"

    override fun toString(): String = invocation

    public companion object {
        /** The name of the header that names the call. */
        public const val INVOCATION_ID: String = "amz-sdk-invocation-id"

        /** The name of the header that numbers the attempt. */
        public const val REQUEST: String = "amz-sdk-request"

        /** The headers of a new call of at most [maxAttempts] attempts, or of one where the process makes no retries. */
        @JvmStatic
        public fun ofCall(maxAttempts: Int): AmzHeaders =
            AmzHeaders(UUID.randomUUID().toString(), if (RetriesSwitch.isOff) 1 else maxAttempts)
    }
}
