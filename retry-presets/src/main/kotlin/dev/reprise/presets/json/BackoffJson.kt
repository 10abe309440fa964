package dev.reprise.presets.json

import dev.reprise.core.Backoff
import dev.reprise.core.DecorrelatedBackoff
import dev.reprise.core.ExponentialBackoff
import dev.reprise.core.FixedBackoff
import dev.reprise.core.GoBackoff
import dev.reprise.core.Jitter
import dev.reprise.core.LinearBackoff
import dev.reprise.core.PerKindBackoff
import dev.reprise.core.SteppedBackoff
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.TypeMember
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject

/** `backoff` in policy documents: an object whose `type` says which other members there are. */
internal object BackoffJson {
    private const val TRANSIENT = "transient"
    private const val THROTTLING = "throttling"
    private val readers: Map<String, (Members) -> Backoff> =
        mapOf(
            "fixed" to { FixedBackoff(it.required("delay").nanos(), it.jitter(Jitter.NONE)) },
            "linear" to ::linear,
            "exponential" to ::exponential,
            "decorrelated" to { DecorrelatedBackoff(it.required("base").nanos(), it.cap()) },
            "go" to { GoBackoff(it.required("min").nanos(), it.required("max").nanos()) },
            "per-kind" to { PerKindBackoff(read(it.required(TRANSIENT)), read(it.required(THROTTLING))) },
        )

    val type = TypeMember("type", readers)

    /** The members of documents that are backoffs. */
    val members = listOf("backoff", TRANSIENT, THROTTLING)

    fun read(node: Node): Backoff = node.read { type.read(it)(it) }

    private fun linear(members: Members): Backoff {
        val base = members.required("base").nanos()
        val step = members["step"]?.nanos() ?: base
        return LinearBackoff(base, step, members.cap(), members.jitter(Jitter.NONE))
    }

    private fun exponential(members: Members): Backoff {
        val base = members.required("base").nanos()
        return ExponentialBackoff(
            baseNanos = base,
            throttlingBaseNanos = members["throttlingBase"]?.nanos() ?: base,
            factor = members["factor"]?.double() ?: 2.0,
            capNanos = members.cap(),
            jitter = members.jitter(Jitter.FULL),
            firstExponent = members["firstExponent"]?.int() ?: 0,
        )
    }

    /** 20 s where it is absent, as in the AWS SDKs and in [Backoff]'s factories: an unlimited wait must be asked for. */
    private fun Members.cap(): Long = this["cap"]?.nanos() ?: DEFAULT_CAP

    private fun Members.jitter(default: Jitter): Jitter =
        this["jitter"]?.word(Jitter.entries.associateBy { it.word }) ?: default

    fun write(backoff: Backoff, path: String): JsonObject = when (backoff) {
        is SteppedBackoff -> stepped(backoff)

        is DecorrelatedBackoff ->
            jsonObject("decorrelated") {
                duration("base", backoff.baseNanos)
                duration("cap", backoff.capNanos)
            }

        is GoBackoff ->
            jsonObject("go") {
                duration("min", backoff.minNanos)
                duration("max", backoff.maxNanos)
            }

        is PerKindBackoff ->
            jsonObject("per-kind") {
                put(TRANSIENT, write(backoff.transient, "$path.$TRANSIENT"))
                put(THROTTLING, write(backoff.throttling, "$path.$THROTTLING"))
            }

        else -> throw PolicyFormatException(path, "a function cannot be written as JSON", "$backoff")
    }

    private fun stepped(backoff: SteppedBackoff): JsonObject = when (backoff) {
        is FixedBackoff ->
            jsonObject("fixed") {
                duration("delay", backoff.delayNanos)
                text("jitter", backoff.jitter.word)
            }

        is LinearBackoff ->
            jsonObject("linear") {
                duration("base", backoff.baseNanos)
                duration("step", backoff.stepNanos)
                duration("cap", backoff.capNanos)
                text("jitter", backoff.jitter.word)
            }

        is ExponentialBackoff ->
            jsonObject("exponential") {
                duration("base", backoff.baseNanos)
                if (backoff.throttlingBaseNanos != backoff.baseNanos) {
                    duration("throttlingBase", backoff.throttlingBaseNanos)
                }
                number("factor", backoff.factor)
                duration("cap", backoff.capNanos)
                text("jitter", backoff.jitter.word)
                if (backoff.firstExponent != 0) number("firstExponent", backoff.firstExponent)
            }
    }

    private const val DEFAULT_CAP = 20_000_000_000
}
