package dev.reprise.lab.calls

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RandomSource
import dev.reprise.lab.fleet.Arrivals
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.EngineRules
import dev.reprise.lab.fleet.Group
import dev.reprise.lab.fleet.Reply
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Server
import dev.reprise.lab.fleet.Simulation
import dev.reprise.lab.fleet.Tally
import dev.reprise.lab.fleet.choice
import dev.reprise.lab.fleet.joining
import dev.reprise.lab.fleet.nanosOf
import dev.reprise.test.VirtualTime
import dev.reprise.virtualtime.Chance
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

/**
 * One run of a [scenario] with one [contestant] by the library's own calls, as coroutines in virtual time: with its races of
 * copies, and with tiers, in each of which the contestant's policy retries, and which tell each other what [travels]. Slower
 * than [Simulation], which drives the engine alone. The same seed gives the same history.
 */
internal class CallSimulation(
    private val scenario: Scenario,
    private val contestant: Contestant,
    private val travels: Travels,
    seed: Long,
) {
    private val time = VirtualTime()
    private val scope = CoroutineScope(time.dispatcher + SupervisorJob())
    private val chance = Chance(seed)
    private val arrivals = chance.split()
    private val draws = chance.split()
    private val choices = chance.split()
    private val server = Server(scenario.server, chance.split())
    private val options = EngineRules(contestant.policy, scenario.operations).options
    private val tally = Tally(scenario)

    /** Runs it to its end. */
    fun run(): Result {
        var next = Endpoint(::atServer)
        var limit = scenario.attemptTimeout
        for (tier in scenario.tiers.reversed()) {
            next = Service(caller(contestant, tier.instances, next, limit), travels, time, scope)
            limit = tier.attemptTimeout
        }
        var clients = 0
        for (group in scenario.fleet) {
            Members(group, clients, List(group.clients) { caller(group.policy ?: contestant, 1, next, limit) }).start()
            clients += group.clients
        }
        time.advance((tally.seconds.size + Simulation.TAIL).seconds)
        tally.close()
        scope.cancel()
        return Result(tally, scenario, time.happened, isPaced = contestant.policy.sendRate != null)
    }

    private fun caller(contestant: Contestant, instances: Int, next: Endpoint, limit: Double?): Caller {
        require(contestant.budget == null) {
            "a library's own calls pay from the policy's quota, and from no other budget"
        }
        val policy = contestant.policy
        val made = policy.with {
            if (scenario.tiers.isNotEmpty()) honourShouldRetry = travels == Travels.MARKS
            if (limit != null && (scenario.tiers.isNotEmpty() || policy.attemptTimeout == null)) {
                attemptTimeout = nanosOf(limit).nanoseconds
            }
        }
        val retriers = List(instances) { time.retrier(made, null, RandomSource { draws.uniform() }) }
        return Caller(retriers, next, travels, choices)
    }

    /** The clients of [group], each with one of the [callers]; their numbers in the whole fleet begin at [first]. */
    private inner class Members(private val group: Group, private val first: Int, private val callers: List<Caller>) {
        private val chance = arrivals.split()
        private val joins = group.joining()
        private val inFlight = IntArray(group.clients)

        fun start() {
            val calls = group.calls
            if (calls != null) scope.launch { openLoop(1 / (calls * group.clients)) }
            group.trace?.forEach { arrival -> time.after(arrival.at.nanoseconds) { callAny(arrival.operation) } }
            repeat(group.clients * group.callers) { scope.launch { closedLoop(client = it % group.clients) } }
        }

        private suspend fun openLoop(mean: Double) {
            time.suspendFor(nanosOf(group.joins).nanoseconds)
            while (true) {
                time.suspendFor(nanosOf(if (group.isEven) mean else chance.exponential(mean)).nanoseconds)
                callAny(null)
            }
        }

        /** A call of [operation], or of any, by any client that has joined. */
        private fun callAny(operation: Int?) {
            val client = chance.below(group.clients)
            if (joins[client] > time.nanoTime()) return
            scope.launch(start = CoroutineStart.UNDISPATCHED) { call(client, operation) }
        }

        private suspend fun closedLoop(client: Int) {
            time.suspendFor(joins[client].nanoseconds)
            while (true) {
                val begunAt = time.nanoTime()
                call(client, null)
                val least = if (time.nanoTime() > begunAt) LEAST_PAUSE else Arrivals.BREATH
                time.suspendFor(maxOf(nanosOf(group.think * (0.5 + chance.uniform())), least).nanoseconds)
            }
        }

        private suspend fun call(client: Int, asked: Int?) {
            val begunAt = time.nanoTime()
            val operation = asked ?: chance.choice(group.mix)
            tally.called(begunAt, first + client, operation)
            val isGood = inFlight[client] < group.inFlight && isMadeWell(client, operation)
            tally.ended(begunAt, time.nanoTime(), first + client, operation, isGood)
        }

        private suspend fun isMadeWell(client: Int, operation: Int): Boolean {
            inFlight[client]++
            val isGood = if (scenario.fanOut == 1) isGood(callers[client], operation) else fansOut(operation)
            inFlight[client]--
            return isGood
        }

        /** A call in parts, spread evenly over the [callers]: each stands for the client of another server. */
        private suspend fun fansOut(operation: Int): Boolean = coroutineScope {
            List(scenario.fanOut) { async { isGood(callers[it % callers.size], operation) } }.awaitAll().all { it }
        }
    }

    private suspend fun isGood(caller: Caller, operation: Int): Boolean = try {
        caller.call(Trip(operation), options[operation]).status < FAILURE
    } catch (e: CancellationException) {
        throw e
    } catch (_: Exception) {
        false
    }

    private fun atServer(request: Request): Deferred<HttpOutcome> {
        val now = time.nanoTime()
        val reply = server.ask(now, request.trip.operation)
        tally.attempted(now, ++request.trip.atServer, reply.answer.isRefused)
        val coming = CompletableDeferred<HttpOutcome>()
        if (reply.at != Reply.NEVER) time.after((reply.at - now).nanoseconds) { coming.complete(reply.answer) }
        return coming
    }

    private companion object {
        const val FAILURE = 400

        /** The least pause between two calls of a caller, in ns: time has to go on. */
        const val LEAST_PAUSE = 1L
    }
}
