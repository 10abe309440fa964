package dev.reprise.lab.tiers

import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.RandomSource
import dev.reprise.coroutines.Retrier
import dev.reprise.lab.fleet.Answer
import dev.reprise.lab.fleet.Group
import dev.reprise.lab.fleet.Reply
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Server
import dev.reprise.lab.fleet.Tally
import dev.reprise.lab.fleet.nanosOf
import dev.reprise.test.VirtualTime
import dev.reprise.virtualtime.Chance
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

/**
 * One run of a [scenario] with tiers: every layer, the fleet too, retries under [policy], and they tell each other what
 * [travels]. The calls are the library's own, as coroutines in virtual time. The same seed gives the same history.
 */
internal class TierSimulation(
    private val scenario: Scenario,
    private val policy: RetryPolicy,
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
    private val tally = Tally(
        seconds = scenario.seconds.toInt(),
        countedFrom = nanosOf(scenario.warmUp),
        clients = scenario.clients,
        operations = 1,
    )

    /** Runs it to its end; [onSecond] hears of each second. */
    fun run(onSecond: () -> Unit = {}): Result {
        var next = Endpoint(::atServer)
        var limit = scenario.attemptTimeout
        for (tier in scenario.tiers.reversed()) {
            next = Service(caller(tier.instances, next, limit), travels, time, scope)
            limit = tier.attemptTimeout
        }
        var clients = 0
        for (group in scenario.fleet) {
            start(group, clients, List(group.clients) { caller(1, next, limit) })
            clients += group.clients
        }
        for (second in 1..tally.seconds.size) {
            time.advance(1.seconds)
            onSecond()
        }
        time.advance(TAIL)
        tally.close()
        scope.cancel()
        return Result(tally, scenario.warmUp, Result.failing(scenario), time.happened)
    }

    private fun caller(instances: Int, next: Endpoint, attemptTimeout: Double?): Caller {
        val layered = policy.with {
            honourShouldRetry = travels == Travels.MARKS
            if (attemptTimeout != null) this.attemptTimeout = nanosOf(attemptTimeout).nanoseconds
        }
        val retriers = List(instances) { time.retrier(layered, null, RandomSource { draws.uniform() }) }
        return Caller(retriers, next, travels, choices)
    }

    private fun start(group: Group, first: Int, callers: List<Caller>) {
        val mean = 1 / (group.calls!! * group.clients)
        val own = arrivals.split()
        scope.launch {
            while (true) {
                time.suspendFor(nanosOf(if (group.isEven) mean else own.exponential(mean)).nanoseconds)
                val client = own.below(group.clients)
                scope.launch(start = CoroutineStart.UNDISPATCHED) { call(first + client, callers[client]) }
            }
        }
    }

    private suspend fun call(client: Int, caller: Caller) {
        val begunAt = time.nanoTime()
        tally.called(begunAt, client, 0)
        val isGood = try {
            caller.call(Trip()).status < FAILURE
        } catch (_: Exception) {
            false
        }
        tally.ended(begunAt, time.nanoTime(), client, 0, isGood)
    }

    private fun atServer(request: Request): Deferred<Response> {
        val now = time.nanoTime()
        val reply = Reply()
        server.ask(now, 0, reply)
        val isLost = reply.at == Reply.NEVER
        tally.attempted(now, reply.answer.kind == Answer.Kind.REFUSED && !isLost)
        tally.attemptsOfCall(++request.trip.atServer)
        val answer = CompletableDeferred<Response>()
        val status = reply.answer.status
        if (!isLost) time.after((reply.at - now).nanoseconds) { answer.complete(Response(status)) }
        return answer
    }

    private companion object {
        const val FAILURE = 400

        /** How long a run continues for its last calls. */
        val TAIL = 10.seconds
    }
}
