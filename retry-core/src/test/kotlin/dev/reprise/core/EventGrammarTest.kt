package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.HedgeRace
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeSorted
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.io.IOException
import java.util.concurrent.CancellationException
import kotlin.io.path.Path
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/** The grammar in the comment of [RetryEvent]. */
private val GRAMMAR = Grammar.of(Path("src/main/kotlin/dev/reprise/core/RetryEvent.kt"))

class EventGrammarTest :
    FunSpec({
        test("the events of a call form a sentence of the grammar, for every policy and every script") {
            val regex = GRAMMAR.regex
            val seen = mutableMapOf<Char, Int>()
            val ends = mutableSetOf<String>()
            checkAll(5_000, Arb.int()) { seed ->
                val call = RandomCall(Random(seed))
                val events = call.run()
                val sentence = events.map(::letter).joinToString("")
                sentence.forEach { seen.merge(it, 1, Int::plus) }
                ends += sentence.takeLast(2)
                withClue("$sentence of ${call.policy}") {
                    regex.matches(sentence) shouldBe true
                    events.filterIsInstance<RetryEvent.AttemptStarted>().map { it.attempt } shouldContainExactly
                        (1..sentence.count { it == 'A' }).toList()
                    attemptsOf(events.last()) shouldBe sentence.count { it == 'A' }
                    events.map { it.atNanos }.shouldBeSorted()
                    delayOf(events.last())?.let { it shouldBe scheduledDelay(events) }
                    tokensTaken(events) shouldBe call.tokensGone()
                }
            }
            withClue("the scripts are varied enough to show every kind of event: $seen") {
                seen.keys shouldBe Grammar.letters.values.toSet()
            }
            withClue("a call ends after its permit, before its attempt") { ends shouldContainAll listOf("P-", "Px") }
        }

        test("the guide shows the same grammar") { Grammar.of(Path("../docs/observability.md")) shouldBe GRAMMAR }

        test("the quota that an event names is one that there was") {
            checkAll(500, Arb.int()) { seed ->
                val call = RandomCall(Random(seed))
                for (event in call.run()) availableAt(event)?.shouldBeInRange(0..call.capacity)
            }
        }
    })

private fun letter(event: RetryEvent): Char = Grammar.letters.getValue(event.javaClass.simpleName)

private fun attemptsOf(last: RetryEvent): Int? = (last as? RetryEvent.CallSucceeded)?.attempts
    ?: (last as? RetryEvent.CallGaveUp)?.attempts ?: (last as? RetryEvent.CallCancelled)?.attempts

private fun delayOf(last: RetryEvent): Long? =
    (last as? RetryEvent.CallSucceeded)?.totalDelayNanos ?: (last as? RetryEvent.CallGaveUp)?.totalDelayNanos

private fun scheduledDelay(events: List<RetryEvent>): Long =
    events.filterIsInstance<RetryEvent.RetryScheduled>().sumOf { it.delayNanos }

private fun tokensTaken(events: List<RetryEvent>): Int =
    events.sumOf { (it as? RetryEvent.QuotaTaken)?.tokens ?: -((it as? RetryEvent.QuotaRefunded)?.tokens ?: 0) }

private fun availableAt(event: RetryEvent): Int? = (event as? RetryEvent.QuotaTaken)?.available
    ?: (event as? RetryEvent.QuotaRefused)?.available ?: (event as? RetryEvent.QuotaRefunded)?.available

/** A random policy, and a shell that does random things with it. */
private class RandomCall(private val random: Random) {
    val capacity = random.nextInt(1, 60)
    private val available = random.nextInt(capacity + 1)
    private val quota = if (random.nextInt(4) == 0) null else RetryQuota(capacity, available)
    private val adaptive = random.nextInt(3) == 0
    private var now = random.nextLong(1_000)

    val policy = RetryPolicy {
        maxAttempts = random.nextInt(1, 6)
        backoff =
            if (random.nextBoolean()) {
                Backoff.STANDARD
            } else {
                Backoff.custom { retry -> if (retry.retryIndex > 1) null else 5.nanoseconds }
            }
        quota =
            this@RandomCall.quota?.let {
                TokenBucketSettings.builder().capacity(
                    capacity,
                ).cost(14).throttlingCost(5).timeoutCost(10).charge(QuotaCharge.entries.random(random)).build()
            }
        if (random.nextInt(4) == 0) deadline = 120.milliseconds
        if (adaptive) sendRate = SendRateSettings.EXACT
        onNoPermit = if (random.nextBoolean()) NoPermit.Wait else NoPermit.Fail
        if (random.nextInt(3) == 0) hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0)
        if (random.nextBoolean()) honourRetryAfter(60.milliseconds)
        onFailure { (it as? Judged)?.verdict }
        if (random.nextBoolean()) onResult { null }
    }

    fun tokensGone(): Int = if (quota == null) 0 else available - quota.available

    fun run(): List<RetryEvent> {
        val recorder = Recorder()
        val rate = if (adaptive) SendRate(SendRateSettings.EXACT, now) else null
        val setup = CallSetup(policy, quota, rate, listOf(recorder), { now }, { random.nextDouble() })
        val options = CallOptions {
            operation = "random"
            repeat = Repeat.entries.random(random)
            longPolling = random.nextBoolean()
        }
        val call = TestCall(setup, options, ResultKind.entries.random(random)) { now += it }
        while (!call.isOver) step(call)
        call.broke(CancellationException())
        return recorder.events
    }

    private fun step(call: TestCall) {
        if (random.nextInt(30) == 0) return call.broke(CancellationException())
        if (random.nextInt(30) == 0) return call.broke(Error("a waiter is broken"))
        now += call.delayNanos
        while (call.next != NextStep.ATTEMPT) {
            if (call.next == NextStep.DONE) return
            if (call.next != NextStep.PERMIT) {
                call.one()
                continue
            }
            if (random.nextInt(20) == 0) return call.permitRefused()
            val waited = if (random.nextBoolean()) 0L else 3_000L
            now += waited
            call.permitted(waited)
        }
        if (random.nextInt(20) == 0) {
            return call.broke(if (random.nextBoolean()) CancellationException() else Error("no attempt could be made"))
        }
        call.begins()
        val race = call.race()
        now += random.nextLong(20_000_000)
        call.ended(if (race == null) outcome() else winner(race))
    }

    /** The outcome that counts of a race: the two executions end in either order, or the first one before its copy. */
    private fun winner(race: HedgeRace): Any? {
        val hasCopy = random.nextInt(4) > 0 && race.copyStarts() != null
        val ends = if (hasCopy) listOf(true, false).shuffled(random) else listOf(false)
        val outcomes = ends.associateWith { outcome() }
        for (isCopy in ends) {
            now += random.nextLong(5_000_000)
            val outcome = outcomes[isCopy]
            val isOver =
                if (outcome is Throwable) {
                    race.threw(isCopy, outcome, Thrown.meaningOf(outcome), null)
                } else {
                    race.returned(isCopy, outcome)
                }
            if (isOver) break
        }
        return outcomes[race.hasCopyWon]
    }

    private fun outcome(): Any? = when (random.nextInt(9)) {
        0 -> if (random.nextBoolean()) "good" else Unit
        1, 2, 7 -> IOException()
        3 -> Judged(Verdict.THROTTLING)
        4 -> Judged(Verdict.Retry(FailureKind.TIMEOUT, "slow", unsent = true))
        5 -> Judged(Verdict.Reject)
        6 -> Asking(random.nextInt(3))
        else -> if (random.nextInt(3) == 0) CancellationException() else Asking(3)
    }
}

private class Judged(val verdict: Verdict) : IOException()

/** A 503 with server delays that can, and that cannot, be read. */
private class Asking(private val index: Int) : HttpOutcome() {
    override val status get() = 503

    override fun header(name: String): String? = when (name) {
        "x-amz-retry-after" -> listOf("20", "soon", null, "90000000000")[index]
        "retry-after" -> listOf("1", "never", "later", null)[index]
        else -> null
    }
}
