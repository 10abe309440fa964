package dev.reprise.coroutines

import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import java.util.concurrent.ThreadLocalRandom

/**
 * Uniform draws from random [bits], mixed with the time of the draw. Copies of a process that were restored from one
 * snapshot (Lambda SnapStart, CRaC, a native image initialized at build time) have the same seeds, and would all wait
 * the same jitter; they do not draw in the same nanosecond. Safe for any number of threads.
 */
internal open class SnapshotProofDraws(private val clock: NanoClock) : RandomSource {
    /** 64 random bits. */
    protected open fun bits(): Long = ThreadLocalRandom.current().nextLong()

    override fun next(): Double = (mixed(bits() + clock.nanoTime() * GOLDEN_GAMMA) ushr UNUSED_BITS) * UNIT

    /** The finalizer of SplittableRandom: every bit of the input changes half of the output's. */
    private fun mixed(bits: Long): Long {
        var z = bits
        z = (z xor (z ushr 30)) * -0x40a7b892e31b1a47L
        z = (z xor (z ushr 27)) * -0x6b2fb644ecceee15L
        return z xor (z ushr 31)
    }
}

/** SplittableRandom's increment: it moves neighbouring readings of the clock far apart. */
private const val GOLDEN_GAMMA = -0x61c8864680b583ebL

/** A double has 53 bits. */
private const val UNUSED_BITS = 11
private const val UNIT = 1.0 / (1L shl 53)
