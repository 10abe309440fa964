package dev.reprise.conformance

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.ErrorCodes

/** What one attempt comes to: after [takesNanos] it returns [result], or throws what [failure] makes. */
class Step(val result: Any? = null, val takesNanos: Long = 0, val failure: (() -> Throwable)? = null) {
    fun give(): Any? = if (failure == null) result else throw failure.invoke()

    override fun toString(): String = "${failure?.invoke() ?: result} after $takesNanos ns"
}

/** One call: its attempts come to [steps], the last of which repeats. */
class ScriptedCall(
    private val steps: List<Step>,
    val options: CallOptions = CallOptions.DEFAULT,
    /** What the work says that can tell. */
    val mayRepeat: Boolean = true,
) {
    /** How many attempts have begun. */
    var begun = 0
        private set

    /** What the attempt that begins now comes to. */
    fun next(): Step = steps[begun++.coerceAtMost(steps.size - 1)]

    /** The same call, not made yet. */
    fun fresh(): ScriptedCall = ScriptedCall(steps, options, mayRepeat)

    override fun toString(): String = "$options $steps"
}

/** Calls one after another through one retrier. [draws] repeat; [quota] is what is there at the start. */
class Scenario(
    val name: String,
    val policy: RetryPolicy,
    val calls: List<ScriptedCall>,
    val draws: List<Double> = listOf(1.0),
    val quota: Int? = policy.quota?.capacity,
) {
    override fun toString(): String = "$name: $policy, draws $draws, quota $quota, calls $calls"
}

/** A response of [status]. */
class Response(
    override val status: Int,
    override val errorCode: String? = null,
    private val headers: Map<String, String> = emptyMap(),
) : HttpOutcome() {
    /** The headers as a server sends them. */
    val sentHeaders: Map<String, String>
        get() = if (errorCode == null) headers else headers + (ErrorCodes.HEADER to errorCode)

    override fun header(name: String): String? = headers[name.lowercase()]

    override fun toString(): String = "HTTP $status ${errorCode.orEmpty()}$headers"
}
