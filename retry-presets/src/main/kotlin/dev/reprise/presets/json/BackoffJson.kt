package dev.reprise.presets.json

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.shell.values.GoBackoff
import dev.reprise.core.shell.values.members
import dev.reprise.core.shell.values.word
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.TypeMember
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject
import java.time.Duration

/** `backoff` in policy documents: an object whose `type` says which other members there are. */
internal object BackoffJson {
    private const val TRANSIENT = "transient"
    private const val THROTTLING = "throttling"
    private val readers: Map<String, (Members) -> Backoff> =
        mapOf(
            "fixed" to { Backoff.fixed(it.required("delay").duration(), it.jitter(Jitter.NONE)) },
            "linear" to ::linear,
            "exponential" to ::exponential,
            "decorrelated" to { Backoff.decorrelated(it.required("base").duration(), it.cap()) },
            "go" to { GoBackoff(it.required("min").nanos(), it.required("max").nanos()) },
            "per-kind" to { Backoff.perKind(read(it.required(TRANSIENT)), read(it.required(THROTTLING))) },
        )
    val type = TypeMember("type", readers)

    /** The members of documents that are backoffs. */
    val members = listOf("backoff", TRANSIENT, THROTTLING)

    fun read(node: Node): Backoff = node.read { type.read(it)(it) }

    private fun linear(members: Members): Backoff {
        val base = members.required("base").duration()
        return Backoff.linear(base, members["step"]?.duration() ?: base, members.cap(), members.jitter(Jitter.NONE))
    }

    private fun exponential(members: Members): Backoff {
        val base = members.required("base").duration()
        val throttlingBase = members["throttlingBase"]?.duration() ?: base
        val factor = members["factor"]?.double() ?: 2.0
        val first = members["firstExponent"]?.int() ?: 0
        return Backoff.exponential(base, members.cap(), factor, members.jitter(Jitter.FULL), throttlingBase, first)
    }

    /** 20 s where it is absent, as in the AWS SDKs and in [Backoff]'s factories: an unlimited wait must be asked for. */
    private fun Members.cap(): Duration = this["cap"]?.duration() ?: DEFAULT_CAP

    private fun Members.jitter(default: Jitter): Jitter =
        this["jitter"]?.word(Jitter.entries.associateBy { it.word }) ?: default

    fun write(backoff: Backoff, path: String): JsonObject = jsonObject {
        val members = backoff.members()
            ?: throw PolicyFormatException(path, "a function cannot be written as JSON", "$backoff")
        for ((name, value) in members) {
            when (value) {
                is Backoff -> put(name, write(value, "$path.$name"))
                is Long -> duration(name, value)
                is Number -> number(name, value)
                else -> text(name, "$value")
            }
        }
    }

    private val DEFAULT_CAP = Duration.ofSeconds(20)
}
