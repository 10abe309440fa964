@file:OptIn(kotlinx.coroutines.ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.DeadlineSource
import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.Polling
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryableFailure
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotContain
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import java.io.IOException
import java.util.concurrent.Executor
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Copies after 50 ms, one for each call. */
private val POLICY = RetryPolicy { hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0) }

private class Throttled :
    RuntimeException("slow down"),
    RetryableFailure {
    override val failureKind: FailureKind get() = FailureKind.THROTTLING
}

class HedgeTest :
    FunSpec({
        val told = mutableListOf<RetryEvent>()

        fun TestScope.retrier(policy: RetryPolicy = POLICY, quota: Quota? = RetryQuota()): Retrier {
            told.clear()
            return Retrier(policy) {
                clock { currentTime * 1_000_000 }
                quota(quota)
                listener(RetryListener { told += it })
            }
        }

        fun names() = told.map { it::class.simpleName }

        for (heard in listOf("QuotaTaken", "HedgeStarted")) {
            test(
                "no event follows the end of a call that is cancelled when $heard is heard, and goes on in the middle of it",
            ) {
                val job = Job()
                val events = mutableListOf<String>()
                val retry = Retrier(POLICY) {
                    listener(
                        RetryListener {
                            val name = it::class.simpleName!!
                            events += name
                            if (name == heard) job.cancel()
                        },
                    )
                }
                val inPlace = Executor(Runnable::run).asCoroutineDispatcher()
                CoroutineScope(job + inPlace).launch { retry { delay(1.days) } }.join()
                events shouldBe listOf("CallStarted", "AttemptStarted", "QuotaTaken", "HedgeStarted", "CallCancelled")
            }
        }

        virtual("a slow first execution is overtaken by its copy, and cancelled") {
            var cancelled = 0
            val retry = retrier()
            val result = retry { attempt ->
                try {
                    delay(if (attempt.isCopy) 10 else 1_000)
                    attempt.number
                } catch (e: CancellationException) {
                    cancelled++
                    throw e
                }
            }
            result shouldBe 2
            currentTime shouldBe 60
            testScheduler.runCurrent()
            cancelled shouldBe 1
            names() shouldBe listOf(
                "CallStarted",
                "AttemptStarted",
                "QuotaTaken",
                "HedgeStarted",
                "HedgeWon",
                // The price of the copy.
                "QuotaRefunded",
                "CallSucceeded",
            )
            (told.last() as RetryEvent.CallSucceeded).attempts shouldBe 1
        }

        virtual("a first execution that is quick enough gets no copy") {
            var executions = 0
            val retry = retrier()
            retry {
                executions++
                delay(49)
            }
            executions shouldBe 1
            names() shouldNotContain "HedgeStarted"
        }

        virtual("when both fail there is one retry, which gets no copy") {
            val numbers = mutableListOf<Int>()
            val retry = retrier(POLICY.with { noBackoff() })
            retry { attempt ->
                numbers += attempt.number
                delay(100)
                if (numbers.size <= 2) throw IOException("reset")
            }
            numbers shouldBe listOf(1, 2, 2)
            currentTime shouldBe 250
        }

        virtual("the winner returns at once; the loser stays a child of the caller's coroutine until it has ended") {
            val retry = retrier()
            coroutineScope {
                retry { attempt -> if (attempt.number == 1) withContext(NonCancellable) { delay(1_000) } }
                currentTime shouldBe 50
            }
            currentTime shouldBe 1_000
        }

        val never = RetryPolicy { hedge = Hedge.after(100.days, maxExtraLoad = 1.0) }
        val limited = never.with { hedge = Hedge.after(9.seconds, maxExtraLoad = 1.0) }
        val twins = mapOf(
            "without a limit" to never,
            "with an attempt timeout" to limited.with { attemptTimeout = 10.seconds },
            "with a deadline" to limited.with { deadline = 10.seconds },
        )
        for ((limit, policy) in twins) {
            test("what the block started goes on under a hedge that never fires, as without one, $limit") {
                for (one in listOf(policy, policy.with { hedge = null })) {
                    runTest {
                        val retry = retrier(one)
                        val started = retry {
                            CoroutineScope(currentCoroutineContext()).async {
                                delay(40)
                                "value"
                            }
                        }
                        started.await() shouldBe "value"
                        currentTime shouldBe 40
                        var isLeftDone = false
                        retry {
                            CoroutineScope(currentCoroutineContext()).launch { delay(40) }.invokeOnCompletion {
                                isLeftDone = it == null
                            }
                        }
                        delay(100)
                        isLeftDone shouldBe true
                    }
                }
            }

            test("a flow emits in a block under a hedge that never fires, as without one, $limit") {
                for (one in listOf(policy, policy.with { hedge = null })) {
                    runTest {
                        val retry = retrier(one)
                        val values = flow {
                            retry {
                                delay(5)
                                emit(1)
                            }
                        }
                        values.toList() shouldBe listOf(1)
                    }
                }
            }

            test("the failure of what the block started arrives where it would without a hedge, $limit") {
                val ends = listOf(policy, policy.with { hedge = null }).map { one ->
                    var end: String? = null
                    runTest {
                        val job = CoroutineScope(
                            coroutineContext + Job() + CoroutineExceptionHandler { _, _ -> },
                        ).launch {
                            try {
                                retrier(one).invoke {
                                    CoroutineScope(currentCoroutineContext()).launch {
                                        delay(40)
                                        error("late")
                                    }
                                }
                                delay(100)
                                end = "went on"
                            } catch (e: Throwable) {
                                end = "${e::class.simpleName} at $currentTime"
                                throw e
                            }
                        }
                        job.join()
                        end += " ${job.isCancelled}"
                    }
                    end
                }
                ends[0] shouldBe ends[1]
            }
        }

        test("a coroutine of the block's that fails in its middle cancels the caller, as without a hedge") {
            for (one in listOf(never, never.with { hedge = null })) {
                val retry = Retrier(one)
                shouldThrow<IOException> {
                    coroutineScope {
                        retry {
                            CoroutineScope(currentCoroutineContext()).async { throw IOException("child") }
                            delay(1.days)
                        }
                    }
                }.message shouldBe "child"
            }
        }

        test(
            "where the caller supervises, such a failure is the attempt's, unless the block has an outcome of its own",
        ) {
            for (end in listOf("fallback", "child")) {
                runTest {
                    var unheard: Throwable? = null
                    val result = withContext(CoroutineExceptionHandler { _, e -> unheard = e }) {
                        supervisorScope {
                            runCatching {
                                retrier(never).invoke {
                                    val child = CoroutineScope(currentCoroutineContext()).async { error("child") }
                                    runCatching { child.await() }
                                    if (end == "child") delay(5)
                                    "fallback"
                                }
                            }
                        }
                    }
                    result.fold({ it }, { it.message }) shouldBe end
                    unheard shouldBe null
                }
            }
        }

        test("a hedge that never fires moves no work to another thread") {
            val local = ThreadLocal<String?>()
            for (dispatcher in listOf(Dispatchers.Unconfined, Dispatchers.Default)) {
                withContext(dispatcher) {
                    val caller = Thread.currentThread()
                    local.set("mine")
                    val retry = Retrier(never)
                    retry { Thread.currentThread() to local.get() } shouldBe (caller to "mine")
                    Thread.currentThread() shouldBe caller
                    local.remove()
                }
            }
            withContext(Dispatchers.Unconfined) {
                val ended = Retrier(never).invoke {
                    suspendCoroutine { continuation ->
                        // In real time, so that the block has suspended: nothing tells when it has.
                        Thread({ Thread.sleep(50).also { continuation.resume(Unit) } }, "ends").start()
                    }
                    Thread.currentThread()
                }
                ended.name.substringBefore(' ') shouldBe "ends"
                Thread.currentThread() shouldBe ended
            }
        }

        virtual("a winning copy's own work goes on") {
            val started = retrier().invoke { attempt ->
                if (!attempt.isCopy) delay(10_000)
                CoroutineScope(currentCoroutineContext()).async {
                    delay(40)
                    "value"
                }
            }
            started.await() shouldBe "value"
            currentTime shouldBe 90
        }

        virtual("code of others that throws when a copy is asked for costs the copy, not the call") {
            var isBroken = false
            val retry = Retrier(POLICY) { clock { if (isBroken) error("no time") else currentTime * 1_000_000 } }
            retry { attempt ->
                attempt.isCopy shouldBe false
                isBroken = true
                delay(100)
                isBroken = false
                "first"
            } shouldBe "first"
        }

        test("a dispatcher that refuses a copy, before it begins or in its middle, costs the copy, not the call") {
            for (isBegun in listOf(false, true)) {
                val isFull = AtomicBoolean()
                val dispatcher = Executor {
                    if (isFull.get()) throw RejectedExecutionException("full")
                    Dispatchers.IO.dispatch(EmptyCoroutineContext, it)
                }.asCoroutineDispatcher()
                val copies = AtomicInteger()
                val retry = Retrier(POLICY.with { hedge = Hedge.after(10.milliseconds, maxExtraLoad = 1.0) })
                val result = withContext(dispatcher) {
                    retry { attempt ->
                        if (attempt.isCopy) {
                            copies.incrementAndGet()
                            isFull.set(true)
                            delay(10)
                        }
                        isFull.set(!isBegun)
                        suspendCoroutine { continuation ->
                            // In real time: long enough for the copy to be refused.
                            Thread {
                                Thread.sleep(300)
                                isFull.set(false)
                                continuation.resume("first")
                            }.start()
                        }
                    }
                }
                result shouldBe "first"
                copies.get() shouldBe if (isBegun) 1 else 0
            }
        }

        virtual("a cancelled call cancels both") {
            var ended = 0
            val retry = retrier()
            val job = launch {
                retry {
                    try {
                        delay(10_000)
                    } finally {
                        ended++
                    }
                }
            }
            delay(100)
            job.cancel()
            job.join()
            ended shouldBe 2
            currentTime shouldBe 100
            names().last() shouldBe "CallCancelled"
        }

        virtual("the attempt timeout holds for the race, not for each execution") {
            val retry = retrier(
                POLICY.with {
                    attemptTimeout = 80.milliseconds
                    maxAttempts = 1
                },
            )
            shouldThrow<AttemptTimeoutException> { retry { delay(10_000) } }
            currentTime shouldBe 80
        }

        val learning = RetryPolicy { hedge = Hedge() }

        /** A retrier that knows that calls take 10 ms, and has saved two copies. */
        suspend fun TestScope.taught(): Retrier = retrier(learning).also { retry ->
            repeat(100) { retry { delay(10) } }
            told.clear()
        }

        fun copies() = told.filterIsInstance<RetryEvent.HedgeStarted>().size

        val derived = mapOf<String, (Retrier) -> Retrier>(
            "another listener" to { it.with(RetryListener {}) },
            "another deadline" to { it.with(DeadlineSource { null }) },
            "another policy with an equal hedge" to { it.with(learning.with { maxAttempts = 4 }) },
            "a policy without a quota" to { it.with(learning.with { noQuota() }) },
            "no hedge, and then an equal one" to {
                it.with(RetryPolicy.STANDARD).with(RetryPolicy { hedge = Hedge() })
            },
            "an update to an equal hedge" to { it.apply { update(learning.with { maxAttempts = 4 }) } },
        )
        for ((name, derive) in derived) {
            virtual("what a retrier has learnt and saved for copies is shared by one derived from it: $name") {
                val retry = derive(taught())
                repeat(3) { retry { delay(1_000) } }
                copies() shouldBe 2
                told.filterIsInstance<RetryEvent.HedgeRefused>().single().reason shouldBe HedgeRefusal.BUDGET
            }
        }

        virtual("a poll shares what its retrier has learnt") {
            taught().pollUntil(Polling.every(1.seconds, 60.seconds), { true }) { delay(1_000) }
            copies() shouldBe 1
        }

        virtual("a retrier under another hedge learns anew") {
            val retry = taught().with(learning.with { hedge = Hedge(maxExtraLoad = 0.5) })
            retry { delay(1_000) }
            copies() shouldBe 0
            names() shouldNotContain "HedgeRefused"
        }

        test(
            "a throttle stops copies also under another hedge, in a retrier that is derived and in one that is updated",
        ) {
            for (derive in listOf<Retrier.(RetryPolicy) -> Retrier>({ with(it) }, { apply { update(it) } })) {
                runTest {
                    val base = retrier(POLICY.with { maxAttempts = 1 })
                    runCatching { base { throw Throttled() } }
                    val other = base.derive(RetryPolicy { hedge = Hedge.after(20.milliseconds, maxExtraLoad = 1.0) })
                    other { delay(500) }
                    told.filterIsInstance<RetryEvent.HedgeRefused>().single().reason shouldBe HedgeRefusal.SERVER_BUSY
                    delay(500)
                    other { delay(500) }
                    copies() shouldBe 1
                }
            }
        }

        virtual("a first execution that ends after its copy has failed says how long it takes") {
            val retry = retrier(RetryPolicy { hedge = Hedge(maxExtraLoad = 0.1) }, quota = null)
            repeat(100) { retry { delay(10) } }
            told.clear()
            repeat(9) { retry { if (it.isCopy) throw IOException("reset") else delay(1_000) } }
            copies() shouldBe 9
            told.clear()
            retry { delay(5_000) }
            told.filterIsInstance<RetryEvent.HedgeStarted>().single().delay shouldBeGreaterThan 500.milliseconds
        }

        test(
            "whatever both do, and in whatever limit, one outcome counts, the quota is whole after a success, and no copy is a retry",
        ) {
            checkAll(
                500,
                Arb.element("good", "retryable", "final"),
                Arb.element("good", "retryable", "final"),
                Arb.long(0, 300),
                Arb.long(0, 300),
                Arb.element(70, 150, 250).orNull(),
                Arb.boolean(),
            ) { a, b, ta, tb, limit, isOfCall ->
                runTest {
                    val quota = RetryQuota()
                    val policy = POLICY.with {
                        maxAttempts = 1
                        if (isOfCall) deadline = limit?.milliseconds else attemptTimeout = limit?.milliseconds
                    }
                    val retry = retrier(policy, quota)
                    val result = runCatching {
                        retry { attempt ->
                            delay(if (attempt.number == 1) ta else tb)
                            when (if (attempt.number == 1) a else b) {
                                "good" -> attempt.number
                                "retryable" -> throw IOException("${attempt.number}")
                                else -> error("${attempt.number}")
                            }
                        }
                    }
                    val ends = mapOf(1 to ta, 2 to 50 + tb)
                    val order = if (ta <= 50) listOf(1) else listOf(1, 2).sortedBy { ends[it] }
                    val kinds = mapOf(1 to a, 2 to b)
                    val final = order.firstOrNull { kinds[it] != "retryable" }
                    val end = ends.getValue(final ?: order.last())
                    currentTime shouldBe minOf(end, limit?.toLong() ?: end)
                    val winner = final ?: 1
                    if (limit != null && end >= limit) {
                        result.exceptionOrNull().shouldBeInstanceOf<AttemptTimeoutException>().attempt shouldBe 1
                    } else if (kinds[winner] == "good") {
                        result.getOrNull() shouldBe winner
                        quota.available shouldBe 500
                    } else if (ta != 50 + tb) {
                        result.getOrNull().shouldBeNull()
                        result.exceptionOrNull()?.message shouldBe "$winner"
                    }
                }
            }
        }
    })
