package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.outcome
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import reactor.core.publisher.Mono
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.random.Random
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

/** How a call is made; those before [BLOCKING] may be of the retrier that hedges. */
private enum class Way { SUSPEND, ASYNC, SWITCHED, BLOCKING, FUTURE, POOL, STAGE, MONO }

/** The place of the retrier that hedges. */
private const val HEDGED = 2

/** How many trees run at once. */
private const val AT_ONCE = 8

/** How the attempts of a call end. */
private enum class End { OWN, SHARED, CHILD, WRAPPED, KEPT, GATE }

/** A call, and the calls inside each of its attempts. */
private class Plan(val way: Way, val end: End, val retrier: Int, val together: Boolean, val inner: List<Plan>)

private fun plan(random: Random, levels: Int): Plan {
    val count = if (levels == 0) {
        0
    } else if (random.nextInt(8) == 0) {
        8
    } else {
        random.nextInt(4)
    }
    val inner = List(count) { plan(random, if (count > 3) 0 else levels - 1) }
    val ends = if (inner.isEmpty()) listOf(End.OWN, End.SHARED, End.KEPT, End.GATE) else End.entries - End.GATE
    val way = Way.entries.random(random)
    val retrier = random.nextInt(if (way < Way.BLOCKING) HEDGED + 1 else HEDGED)
    return Plan(way, ends.random(random), retrier, random.nextBoolean(), inner)
}

/** The true nesting: a call that was made in an attempt, which is of a call, and so on. */
private class MadeCall(val within: MadeAttempt?, private val plan: Plan) {
    override fun toString(): String = "${within ?: "root"} > ${plan.way} ${plan.end} by ${plan.retrier}"
}

private class MadeAttempt(val call: MadeCall) {
    fun isAround(inner: MadeCall): Boolean = generateSequence(inner.within) { it.call.within }.any { it === this }

    override fun toString(): String = "$call"
}

private class GaveUp(val call: MadeCall, val failure: Throwable)

/** A call that ended as retried below, in the executions [last] of its last attempt: two if it was hedged. */
private class Marked(val last: List<MadeAttempt>, val failure: Throwable) {
    fun isTrue(gaveUps: Iterable<GaveUp>): Boolean {
        val causes = generateSequence(failure) { it.cause }.take(10).toList()
        return gaveUps.any { gaveUp -> gaveUp.failure in causes && last.any { it.isAround(gaveUp.call) } }
    }

    override fun toString(): String = "$last failed with $failure"
}

/**
 * One run of a tree of calls. Counts the ends that the true nesting does not justify.
 *
 * The executions of a hedged call run in the pool. On the thread of a `runBlocking` they would take turns: while one of them
 * blocks that thread in a call of its own, with a `runBlocking` in it, that runs the other, whose calls then seem to be made
 * inside the first one's. The research page names this limit.
 */
private class Tree(private val retriers: List<Retrier>, private val pool: ExecutorCoroutineDispatcher) {
    val marks = ConcurrentLinkedQueue<Marked>()
    private val shared = IOException("shared")
    private val kept = ConcurrentLinkedQueue<Throwable>()
    private val gaveUps = ConcurrentLinkedQueue<GaveUp>()

    suspend fun run(plan: Plan, within: MadeAttempt?, gate: CompletableFuture<Any?>?): Throwable {
        val call = MadeCall(within, plan)
        val retrier = retriers[plan.retrier]
        val java = JavaRetrier.sharing(retrier)
        val last = AtomicReference(emptyList<MadeAttempt>())

        fun attempt() = MadeAttempt(call).also { last.set(listOf(it)) }

        // Where the call ends, since an execution that loses does not hear of the ends of its calls.
        fun RetryOutcome<Any?>.noted(): Throwable {
            val failure = (this as RetryOutcome.Failure).failure
            if (reason == StopReason.RETRIED_BELOW) marks += Marked(last.get(), failure)
            gaveUps += GaveUp(call, failure)
            kept += failure
            return failure
        }

        suspend fun suspending() = retrier.outcome {
            val made = MadeAttempt(call)
            if (it.isCopy) last.updateAndGet { first -> first + made } else last.set(listOf(made))
            if (plan.retrier == HEDGED) delay(if (it.isCopy) 0 else 2)
            attempt<Any?>(plan, made, gate)
        }.noted()
        return when (plan.way) {
            Way.SUSPEND -> if (plan.retrier == HEDGED) withContext(pool) { suspending() } else suspending()

            Way.ASYNC -> coroutineScope {
                async(if (plan.retrier == HEDGED) pool else EmptyCoroutineContext) { suspending() }.await()
            }

            Way.SWITCHED -> withContext(pool) { suspending() }

            Way.BLOCKING -> java.outcome<Any?> { runBlocking { attempt<Any?>(plan, attempt(), null) } }.noted()

            Way.FUTURE -> java.outcomeAsync<Any?> { stage(plan, attempt(), gate) }.thenApply { it.noted() }.await()

            Way.POOL -> java.outcomeAsync<Any?>({
                runBlocking { attempt<Any?>(plan, attempt(), null) }
            }, pool.executor).thenApply { it.noted() }.await()

            Way.STAGE -> java.outcomeAsync<Any?> {
                val made = attempt()
                CompletableFuture.supplyAsync({ runBlocking { attempt<Any?>(plan, made, null) } }, pool.executor)
            }.thenApply { it.noted() }.await()

            Way.MONO ->
                Mono.defer {
                    Mono.fromFuture<Any>(stage(plan, attempt(), gate), true)
                }.outcome(retrier).toFuture().thenApply { it.noted() }.await()
        }
    }

    /** The marks that the true nesting does not justify. A call that no one waits for any more may still be about to note its end. */
    suspend fun falseMarks(): List<Marked> {
        repeat(100) {
            if (marks.all { it.isTrue(gaveUps) }) return emptyList()
            delay(20)
        }
        return marks.filterNot { it.isTrue(gaveUps) }
    }

    private fun stage(plan: Plan, made: MadeAttempt, gate: CompletableFuture<Any?>?): CompletableFuture<Any?> =
        if (plan.end == End.GATE && gate != null) gate else runBlocking { attempt(plan, made, null) }

    private suspend fun <T> attempt(plan: Plan, made: MadeAttempt, gate: CompletableFuture<Any?>?): T {
        var child: Throwable? = null
        if (plan.together) {
            val opened = CompletableFuture<Any?>()
            val failures = coroutineScope {
                val begun = plan.inner.map { async(pool, CoroutineStart.UNDISPATCHED) { run(it, made, opened) } }
                opened.completeExceptionally(shared)
                begun.awaitAll()
            }
            child = failures.randomOrNull()
        } else {
            for (inner in plan.inner) child = run(inner, made, null)
        }
        throw when (plan.end) {
            End.OWN -> IOException("own")
            End.SHARED -> shared
            End.CHILD -> child!!
            End.WRAPPED -> IOException("wrapped", child)
            End.KEPT -> kept.randomOrNull() ?: IOException("first")
            End.GATE -> gate?.let { awaited(it) } ?: IOException("no gate")
        }
    }

    private suspend fun awaited(gate: CompletableFuture<Any?>): Throwable = try {
        gate.await()
        error("a gate fails")
    } catch (e: IOException) {
        e
    }

    private fun <T> Collection<T>.randomOrNull(): T? = toList().let { if (it.isEmpty()) null else it.random() }
}

/**
 * Law: no call ends as retried below unless a call inside its last attempt gave up on that failure, in random trees of calls by
 * all faces, with hedges, shared and kept failures.
 */
class ScopeTreesLawTest :
    FunSpec({
        val policy = RetryPolicy {
            maxAttempts = 2
            backoff = Backoff.IMMEDIATE
            quota = null
            classifier = Classifier.failures { Verdict.TRANSIENT }
        }

        fun tree(pool: ExecutorCoroutineDispatcher): Tree {
            val hedged = Retrier(policy.with { hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0) })
            return Tree(List(HEDGED) { Retrier(policy) } + hedged, pool)
        }

        // 100,000 trees take eleven minutes.
        test("a mark never counts for an attempt that its call was not made in")
            .config(timeout = 2.hours, invocationTimeout = 2.hours) {
                val pool = Executors.newCachedThreadPool {
                    Thread(it).apply { isDaemon = true }
                }.asCoroutineDispatcher()
                val trees = Integer.getInteger("reprise.trees", 1_000)
                val seed = Random.nextInt()
                var marks = 0
                try {
                    withClue("seed $seed") {
                        val random = Random(seed)
                        for (numbers in (0 until trees).chunked(AT_ONCE)) {
                            val some = numbers.map { tree(pool) to plan(random, 1 + it % 3) }
                            runBlocking(pool) {
                                some.map { (tree, plan) -> async { tree.run(plan, null, null) } }.awaitAll()
                            }
                            for ((tree, _) in some) {
                                withClue("trees ${numbers.first()} to ${numbers.last()}") {
                                    tree.falseMarks().shouldBeEmpty()
                                }
                                marks += tree.marks.size
                            }
                        }
                    }
                } finally {
                    pool.close()
                }
                println("$trees trees: $marks calls ended as retried below, none wrongly")
            }
    })
