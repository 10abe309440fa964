package dev.reprise.conformance.faults

import java.util.concurrent.ForkJoinPool
import java.util.concurrent.TimeUnit

/** Makes the call of [seed], and returns the laws that it broke, each with all that it takes to see it again. */
fun violations(seed: Long): List<String> {
    val plan = Plan(seed)
    val world = World(plan)
    val broken = try {
        val end = plan.face.end(world)
        world.ended()
        world.time.settle()
        val atOnce = if (plan.face.isVirtual && world.time.pending > 0) listOf("no timer is left: ${world.time}") else emptyList()
        world.time.runToEnd()
        // An executor that rejects sends the call to the common pool.
        if (plan.fault == Site.EXECUTOR) ForkJoinPool.commonPool().awaitQuiescence(5, TimeUnit.SECONDS)
        world.results.delivered(end.thrown ?: end.value)
        atOnce + Laws(world, end).broken()
    } catch (e: Throwable) {
        listOf("a call ends: $e\n${e.stackTraceToString().lines().take(8).joinToString("\n")}")
    }
    Thread.interrupted()
    return broken.map { "$plan\n  $it" }
}
