package dev.reprise.conformance

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.HttpOutcome

/** What one attempt comes to: after [takesNanos] it returns [result], or throws what [failure] makes. */
class Step(val result: Any? = null, val takesNanos: Long = 0, val failure: (() -> Throwable)? = null) {
    fun give(): Any? = if (failure == null) result else throw failure.invoke()

    override fun toString(): String = "${failure?.invoke() ?: result} after $takesNanos ns"
}

/** One call: its attempts come to [steps], the last of which repeats. */
class ScriptedCall(val steps: List<Step>, val options: CallOptions = CallOptions.DEFAULT) {
    fun step(attempt: Int): Step = steps[(attempt - 1).coerceAtMost(steps.size - 1)]

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
    override fun header(name: String): String? = headers[name.lowercase()]

    override fun toString(): String = "HTTP $status ${errorCode.orEmpty()}$headers"
}
