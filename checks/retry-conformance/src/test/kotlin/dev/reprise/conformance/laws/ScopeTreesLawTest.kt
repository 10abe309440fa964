package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.outcome
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import reactor.core.publisher.Mono
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random

/** How a call is made. */
private enum class Way { SUSPEND, ASYNC, SWITCHED, BLOCKING, FUTURE, POOL, STAGE, MONO }

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
    return Plan(Way.entries.random(random), ends.random(random), random.nextInt(2), random.nextBoolean(), inner)
}

/** The true nesting: a call that was made in an attempt, which is of a call, and so on. */
private class MadeCall(val within: MadeAttempt?)

private class MadeAttempt(val call: MadeCall) {
    fun isAround(inner: MadeCall): Boolean = generateSequence(inner.within) { it.call.within }.any { it === this }
}

private class GaveUp(val call: MadeCall, val failure: Throwable)

/** One run of a tree of calls. Counts the ends that the true nesting does not justify. */
private class Tree(private val retriers: List<Retrier>, private val pool: ExecutorCoroutineDispatcher) {
    val falseMarks = AtomicInteger()
    val marks = AtomicInteger()
    private val shared = IOException("shared")
    private val kept = ConcurrentLinkedQueue<Throwable>()
    private val gaveUps = ConcurrentLinkedQueue<GaveUp>()

    suspend fun run(plan: Plan, within: MadeAttempt?, gate: CompletableFuture<Any?>?): Throwable {
        val call = MadeCall(within)
        val retrier = retriers[plan.retrier]
        val java = JavaRetrier.sharing(retrier)
        var last: MadeAttempt? = null
        fun attempt() = MadeAttempt(call).also { last = it }
        val outcome: RetryOutcome<Any?> = when (plan.way) {
            Way.SUSPEND -> retrier.outcome { attempt<Any?>(plan, attempt(), gate) }

            Way.ASYNC -> coroutineScope { async { retrier.outcome { attempt<Any?>(plan, attempt(), gate) } }.await() }

            Way.SWITCHED -> withContext(pool) { retrier.outcome { attempt<Any?>(plan, attempt(), gate) } }

            Way.BLOCKING -> java.outcome<Any?> { runBlocking { attempt<Any?>(plan, attempt(), null) } }

            Way.FUTURE -> java.outcomeAsync<Any?> { stage(plan, attempt(), gate) }.await()

            Way.POOL -> java.outcomeAsync<Any?>({
                runBlocking { attempt<Any?>(plan, attempt(), null) }
            }, pool.executor).await()

            Way.STAGE -> java.outcomeAsync<Any?> {
                val made = attempt()
                CompletableFuture.supplyAsync({ runBlocking { attempt<Any?>(plan, made, null) } }, pool.executor)
            }.await()

            Way.MONO ->
                Mono.defer {
                    Mono.fromFuture<Any>(stage(plan, attempt(), gate), true)
                }.outcome(retrier).toFuture().await()
        }
        val failure = (outcome as RetryOutcome.Failure).failure
        if (outcome.reason == StopReason.RETRIED_BELOW) {
            marks.incrementAndGet()
            val causes = generateSequence(failure) { it.cause }.take(10).toList()
            val isTrue = gaveUps.any { last!!.isAround(it.call) && it.failure in causes }
            if (!isTrue) falseMarks.incrementAndGet()
        }
        gaveUps += GaveUp(call, failure)
        kept += failure
        return failure
    }

    private fun stage(plan: Plan, made: MadeAttempt, gate: CompletableFuture<Any?>?): CompletableFuture<Any?> =
        if (plan.end == End.GATE && gate != null) gate else runBlocking { attempt(plan, made, null) }

    private suspend fun <T> attempt(plan: Plan, made: MadeAttempt, gate: CompletableFuture<Any?>?): T {
        var child: Throwable? = null
        if (plan.together) {
            val opened = CompletableFuture<Any?>()
            val failures = coroutineScope {
                val begun = plan.inner.map {
                    async(pool, CoroutineStart.UNDISPATCHED) { run(it, made, opened) }
                }
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
 * all faces, with shared and kept failures.
 */
class ScopeTreesLawTest :
    FunSpec({
        val policy = RetryPolicy {
            maxAttempts = 2
            backoff = Backoff.IMMEDIATE
            quota = null
            classifier = Classifier.failures { Verdict.TRANSIENT }
        }

        test("a mark never counts for an attempt that its call was not made in") {
            val pool = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }.asCoroutineDispatcher()
            val trees = Integer.getInteger("reprise.trees", 1_000)
            val seed = Random.nextInt()
            var marks = 0
            try {
                withClue("seed $seed") {
                    val random = Random(seed)
                    repeat(trees) {
                        val tree = Tree(List(2) { Retrier(policy) }, pool)
                        runBlocking(pool) { tree.run(plan(random, 1 + it % 3), null, null) }
                        withClue("tree $it") { tree.falseMarks.get() shouldBe 0 }
                        marks += tree.marks.get()
                    }
                }
            } finally {
                pool.close()
            }
            println("$trees trees: $marks calls ended as retried below, none wrongly")
        }
    })
