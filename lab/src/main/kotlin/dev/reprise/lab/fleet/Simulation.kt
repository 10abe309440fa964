package dev.reprise.lab.fleet

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.virtualtime.Chance
import dev.reprise.virtualtime.EventQueue
import java.time.Duration

/**
 * One run of a [scenario] with one [contestant]. The same seed gives the same history, and the same arrivals whatever is tried.
 */
internal class Simulation(private val scenario: Scenario, private val contestant: Contestant, seed: Long) {
    private val queue = EventQueue()
    private val chance = Chance(seed)
    private val arrivals = chance.split()
    private val draws = chance.split()
    private val tally = Tally(scenario)
    private val shared = Shared(queue, Server(scenario.server, chance.split()), tally)
    private var clients = 0

    /** Runs it to its end. */
    fun run(): Result {
        scenario.fleet.forEach(::start)
        // The fleet runs on uncounted for a while, so that the last calls end as the ones before did.
        queue.runUntil(nanosOf(tally.seconds.size + TAIL))
        tally.close()
        return Result(tally, scenario, queue.happened, isPaced = contestant.policy.sendRate != null)
    }

    private fun start(group: Group) {
        val (policy, budget) = (group.policy ?: contestant).let { timed(it) to it.budget }
        val rules = EngineRules(policy, scenario.operations)
        val members = List(group.clients) {
            val engine = Engine(rules, budget?.invoke({ queue.now }, draws), { queue.now }, draws)
            Client(clients++, engine, shared, group.inFlight)
        }
        Arrivals(group, members, arrivals.split(), queue).start()
    }

    /** The policy, with the scenario's attempt timeout if it has none and its deadline does not end attempts sooner. */
    private fun timed(contestant: Contestant): RetryPolicy {
        val policy = contestant.policy
        val timeout = scenario.attemptTimeout?.let(::nanosOf) ?: return policy
        if (policy.attemptTimeout != null || timeout > policy.deadlineNanos) return policy
        return policy.toBuilder().attemptTimeout(Duration.ofNanos(timeout)).build()
    }

    companion object {
        /** Seconds that a run continues for its last calls. */
        const val TAIL = 10.0
    }
}
