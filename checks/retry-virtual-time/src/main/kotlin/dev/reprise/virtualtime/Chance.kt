package dev.reprise.virtualtime

import java.util.SplittableRandom
import kotlin.math.cos
import kotlin.math.ln
import kotlin.math.sqrt

/** A seeded source of chance. Each part of a simulation has one of its own, so that all policies meet the same arrivals. */
public class Chance(seed: Long) {
    private val random = SplittableRandom(seed)

    /** Uniform in [0, 1). */
    public fun uniform(): Double = random.nextDouble()

    /** Uniform in 0 until [bound]. */
    public fun below(bound: Int): Int = random.nextInt(bound)

    /** Uniform in 0 until [bound]. */
    public fun below(bound: Long): Long = random.nextLong(bound)

    /** Exponentially distributed with the given [mean]: the time to the next of events that come at random. */
    public fun exponential(mean: Double): Double = -mean * ln(1 - random.nextDouble())

    /** Normally distributed, with mean 0 and deviation 1 (Box and Muller). */
    public fun normal(): Double = sqrt(-2 * ln(1 - random.nextDouble())) * cos(2 * Math.PI * random.nextDouble())

    /** Returns another source, independent of this one. */
    public fun split(): Chance = Chance(random.nextLong())
}
