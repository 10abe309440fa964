package dev.reprise.lab.fleet.kernel

import java.util.SplittableRandom
import kotlin.math.cos
import kotlin.math.ln
import kotlin.math.sqrt

/** A seeded source of chance. Each part of a simulation has one of its own, so that all policies meet the same arrivals. */
internal class Chance(seed: Long) {
    private val random = SplittableRandom(seed)

    /** Uniform in [0, 1). */
    fun uniform(): Double = random.nextDouble()

    /** Uniform in 0 until [bound]. */
    fun below(bound: Int): Int = random.nextInt(bound)

    /** Exponentially distributed with the given [mean]: the time to the next of events that come at random. */
    fun exponential(mean: Double): Double = -mean * ln(1 - random.nextDouble())

    /** Normally distributed, with mean 0 and deviation 1 (Box and Muller). */
    fun normal(): Double = sqrt(-2 * ln(1 - random.nextDouble())) * cos(2 * Math.PI * random.nextDouble())

    /** Another source, which has nothing in common with this one. */
    fun split(): Chance = Chance(random.nextLong())
}
