package dev.reprise.aws.java

import software.amazon.awssdk.retries.api.RetryToken
import java.lang.ref.Cleaner

private val CLEANER: Cleaner = Cleaner.create()

/** The SDK's handle of a [call]. When the garbage collector finds the token, the call is over. */
internal class AwsToken(val call: AwsCall) : RetryToken {
    private var watch: Cleaner.Cleanable? = null

    /** From now on there is something to give back, or to tell, when this token becomes unreachable. */
    fun watched(): AwsToken {
        // Holds the call, never the token.
        val call = call
        watch = watch ?: CLEANER.register(this) { call.sdkForgot() }
        return this
    }

    /** The call has ended: there is nothing to watch for. */
    fun ended(): Unit? = watch?.clean()

    override fun toString(): String = "token of $call"
}
