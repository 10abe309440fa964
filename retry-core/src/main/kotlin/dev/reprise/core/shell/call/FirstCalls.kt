package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.machine.RetryState

/**
 * First attempts that are ready for calls which build nothing: with the default options, and with others that were used lately.
 * The row of a success with options in the benchmarks. A race of two threads makes two that are equal.
 */
internal class FirstCalls(private val setup: CallSetup) {
    private val firsts = firstAttempt(CallOptions.DEFAULT).let { attempt ->
        Array(KEPT + ResultKind.entries.size) {
            FirstCall(attempt, ResultKind.entries[it % ResultKind.entries.size], 0)
        }
    }

    /** The first attempt of a call of [options] that begins now. Only a give-up in the process, after which it is told apart, makes a new object. */
    fun of(options: CallOptions, kind: ResultKind): FirstCall {
        val isDefault = options === CallOptions.DEFAULT
        val slot = if (isDefault) KEPT + kind.ordinal else System.identityHashCode(options) and (KEPT - 1)
        val kept = firsts[slot]
        val isKept = isDefault || (kept.options === options && kept.kind == kind)
        val tick = GiveUps.now()
        if (isKept && kept.tickBefore == tick) return kept
        val attempt = if (isKept) kept.attempt else firstAttempt(options)
        return FirstCall(attempt, kind, tick).also { firsts[slot] = it }
    }

    private fun firstAttempt(options: CallOptions) =
        PlainAttempt(setup, RetryState.first(RetryState.UNCLOCKED, options), lastFailure = null)
}

/** How many sets of options are kept; a power of two. */
private const val KEPT = 16
