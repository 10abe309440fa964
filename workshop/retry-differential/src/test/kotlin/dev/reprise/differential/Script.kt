package dev.reprise.differential

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryableFailure
import java.util.SplittableRandom
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** What one attempt comes to. */
enum class Fault(val kind: FailureKind?) {
    NONE(null),
    TRANSIENT(FailureKind.TRANSIENT),
    TIMEOUT(FailureKind.TIMEOUT),
    THROTTLING(FailureKind.THROTTLING),

    /** A failure that no SDK retries. */
    FINAL(null),
}

/** An attempt that fails as [fault] says, and asks for [hintMillis] or, where that is `null`, for nothing. */
class ScriptedFailure(val fault: Fault, val hintMillis: Long?) :
    RuntimeException("scripted", null, false, false),
    RetryableFailure {
    override val failureKind: FailureKind? get() = fault.kind
    override val serverDelay: Duration? get() = hintMillis?.milliseconds
}

class Step(val fault: Fault, val hintMillis: Long?) {
    /** Returns, or throws what the attempt fails with. */
    fun play() {
        if (fault != Fault.NONE) throw ScriptedFailure(fault, hintMillis)
    }

    override fun toString(): String = "$fault${hintMillis?.let { " asks for $it ms" } ?: ""}"
}

/** One call: its attempts come to [steps], of which there is one for each that it may make. */
class ScriptedCall(val steps: List<Step>, val isLongPoll: Boolean) {
    override fun toString(): String = "${if (isLongPoll) "long poll" else "call"} $steps"
}

/** Calls one after another on one client, which may make [maxAttempts] for each and has a quota of [capacity]. */
class Script(val maxAttempts: Int, val capacity: Int, val calls: List<ScriptedCall>) {
    override fun toString(): String = "at most $maxAttempts attempts, quota $capacity, $calls"

    companion object {
        /** The script of [seed], with what [sdk] knows. Small quotas run dry, and large ones do not. */
        fun random(seed: Long, sdk: LivingSdk): Script {
            val random = SplittableRandom(seed)
            val maxAttempts = random.nextInt(1, 7)
            val mostly = random.nextInt(4)
            fun step(): Step {
                val fault = if (random.nextInt(4) < mostly) Fault.NONE else sdk.faults[random.nextInt(sdk.faults.size)]
                val hint = if (random.nextInt(4) == 0) sdk.hints[random.nextInt(sdk.hints.size)] else null
                return Step(fault, hint.takeIf { fault != Fault.NONE })
            }
            val calls = List(random.nextInt(1, 16)) {
                ScriptedCall(List(maxAttempts) { step() }, sdk.hasLongPolls && random.nextInt(3) == 0)
            }
            val capacity = if (random.nextBoolean()) 5 * random.nextInt(1, 13) else 500
            return Script(maxAttempts, capacity, calls)
        }
    }
}

/** How a call ended: what a caller can see of it. */
data class End(val isSuccess: Boolean, val attempts: Int, val waitsNanos: List<Long>, val quota: Int)

const val MILLI = 1_000_000L
