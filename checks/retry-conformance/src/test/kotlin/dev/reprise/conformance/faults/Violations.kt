package dev.reprise.conformance.faults

import java.util.concurrent.locks.LockSupport

/** Makes the call of [seed], and returns the laws that it broke, each with all that it takes to see it again. */
fun violations(seed: Long): List<String> {
    val plan = Plan(seed)
    val world = World(plan)
    val broken = try {
        val end = plan.face.end(world)
        world.ended()
        world.time.settle()
        val left = world.patiently(world.time::settle) { timersLeft(world) }
        // What comes late comes now.
        world.time.runToEnd()
        world.results.delivered(end.thrown ?: end.value)
        left + world.patiently(world.time::runToEnd) { Laws(world, end).broken() }
    } catch (e: Throwable) {
        listOf("a call ends: $e\n${e.stackTraceToString().lines().take(8).joinToString("\n")}")
    }
    Thread.interrupted()
    return broken.map { "$plan\n  $it" }
}

private fun timersLeft(world: World): List<String> {
    val plan = world.plan
    val left = if (plan.face.isVirtual) world.time.pending else world.timers.get()
    return if (left > 0 && plan.fault != Site.TIMER_CANCEL) listOf("no timer is left: $left timers") else emptyList()
}

/**
 * The laws that [find] says are broken. Other threads may still be about to give something back: the line's, or the common pool's
 * after a rejection.
 */
private fun World.patiently(goOn: () -> Unit, find: () -> List<String>): List<String> {
    var broken = find()
    var left = if (usesThreads) PATIENCE else 0
    while (broken.isNotEmpty() && left-- > 0) {
        LockSupport.parkNanos(PAUSE)
        goOn()
        broken = find()
    }
    return broken
}

/** With the pause, twenty seconds: a busy machine may take long, and a call that is well waits for none of it. */
private const val PATIENCE = 20_000
private const val PAUSE = 1_000_000L
