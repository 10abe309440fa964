package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.Polling
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.pollUntil
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.Exhaustive
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.collection
import kotlinx.coroutines.runBlocking
import java.io.IOException
import java.util.concurrent.CyclicBarrier
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** Runs [work], whose failure code between two layers makes another of. */
private fun passing(wrapping: Wrapping, work: () -> Any?): Any? = try {
    work()
} catch (e: Throwable) {
    throw wrapping.of(e)
}

/** Law: who is nearest to a failure retries, and no retrier above it does, unless its policy says so. */
class LayersLawTest :
    FunSpec({
        fun policy(attempts: Int = 3, traces: Boolean = true, setting: WhenRetriedBelow = WhenRetriedBelow.STOP) =
            RetryPolicy {
                maxAttempts = attempts
                backoff = Backoff.IMMEDIATE
                quota = null
                trace = traces
                whenRetriedBelow = setting
                classifier = Classifier.failures { Verdict.TRANSIENT }
            }

        /** How often [leaf] fails when [layers], outermost first, stand around it; [ends] gets their reasons, innermost first. */
        fun failures(
            layers: List<Layer>,
            leaf: Leaf,
            policy: RetryPolicy,
            wrapping: Wrapping = Wrapping.NONE,
            ends: (StopReason) -> Unit = {},
        ): Int {
            var count = 0
            var whole: () -> Any? = { leaf.call(policy) { count++ } }
            for (layer in layers.asReversed()) {
                val inside = whole
                val retrier = Retrier(policy) {
                    listener(RetryListener { if (it is RetryEvent.CallGaveUp) ends(it.reason) })
                }
                whole = { layer.around(retrier) { passing(wrapping, inside) } }
            }
            runCatching { whole() }.isFailure shouldBe true
            return count
        }

        test(
            "each pair of faces makes the attempts of the inner one, and multiplies them if the policy says RETRY, or nothing can be known",
        ) {
            checkAll(Exhaustive.collection(LAYERS), Exhaustive.collection(LEAVES)) { outer, leaf ->
                val ends = mutableListOf<StopReason>()
                withClue("$outer around $leaf") {
                    failures(listOf(outer), leaf, policy(), ends = ends::add) shouldBe if (outer.knows) 3 else 9
                }
                val reason = if (outer.knows) StopReason.RETRIED_BELOW else StopReason.ATTEMPTS
                withClue("$outer around $leaf") { ends shouldBe listOf(reason) }
                failures(listOf(outer), leaf, policy(setting = WhenRetriedBelow.RETRY)) shouldBe 9
            }
        }

        test(
            "any number of layers makes the attempts of the innermost, whatever stands between, with traces or without",
        ) {
            checkAll(
                300,
                Arb.int(1..3),
                Arb.element(LEAVES),
                Arb.int(2..4),
                Arb.boolean(),
                Arb.enum<Wrapping>(),
            ) { depth, leaf, attempts, traces, wrapping ->
                val layers = List(depth) { LAYERS.filter { it.knows }.random(randomSource().random) }
                withClue("$layers around $leaf") {
                    failures(layers, leaf, policy(attempts, traces), wrapping) shouldBe attempts
                }
            }
        }

        /** How often the work of [call] is done, which fails each time. */
        fun counted(failure: () -> Throwable = { IOException() }, call: suspend (() -> Nothing) -> Any?): Int {
            var count = 0
            runCatching { runBlocking { call { count++.let { throw failure() } } } }
            return count
        }

        test("a layer of one attempt does not hide that the one below it has retried") {
            val (outer, middle, inner) = List(3) { Retrier(policy(attempts = if (it == 1) 1 else 3)) }
            counted { fail -> outer { middle { inner { fail() } } } } shouldBe 3
        }

        test("what says why in words: the trace, with what to write if the nesting was meant") {
            val thrown = runCatching {
                runBlocking { Retrier(policy()).invoke { Retrier(policy()).invoke { throw IOException("down") } } }
            }.exceptionOrNull()!!
            val trace = RetryTrace.of(thrown)!!
            trace.reason shouldBe StopReason.RETRIED_BELOW
            trace.attempts shouldBe 1
            trace.message shouldContain "say whenRetriedBelow(RETRY) in its policy"
        }

        test("an exception constant counts as retried until it carries as many traces as it may") {
            val constant = IOException("constant")
            val (outer, inner) = List(2) { Retrier(policy()) }
            val counts = List(6) { counted({ constant }) { fail -> outer { inner { fail() } } } }
            counts.first() shouldBe 3
            counts.sum() shouldBe 3 + 3 + 4 * 9
        }

        test("an exception from a cache is not of this attempt") {
            val cached = runCatching { runBlocking { Retrier(policy()).invoke { throw IOException("down") } } }
                .exceptionOrNull()!!
            counted({ cached }) { fail -> Retrier(policy()).invoke { fail() } } shouldBe 3
        }

        test("siblings that share a retrier and one exception retry, each for itself") {
            val shared = IOException("the connection dropped")
            val retrier = Retrier(policy())
            val counts = IntArray(4)
            val together = CyclicBarrier(counts.size)
            val threads = counts.indices.map { index ->
                thread {
                    runCatching {
                        runBlocking {
                            retrier { attempt ->
                                if (attempt.number == 1) together.await()
                                counts[index]++
                                throw shared
                            }
                        }
                    }
                }
            }
            threads.forEach { it.join() }
            counts.toList() shouldBe List(counts.size) { 3 }
        }

        test("a failure that comes after a fallback is retried, unless it names the first as its cause") {
            for ((names, expected) in listOf(false to 3, true to 1)) {
                var attempts = 0
                runCatching {
                    runBlocking {
                        Retrier(policy()).invoke {
                            attempts++
                            val first = runCatching {
                                Retrier(policy()).invoke { throw IOException("down") }
                            }.exceptionOrNull()
                            throw IOException("another").also { if (names) it.initCause(first) }
                        }
                    }
                }
                attempts shouldBe expected
            }
        }

        test("what cannot be known is retried: no suppression, no cause, a plain bad value") {
            class Bare : Exception(null, null, false, false)
            val outer = Retrier(policy().with { onResult { if (it == "bad") Verdict.TRANSIENT else null } })
            val inner = Retrier(policy().with { onResult { if (it == "bad") Verdict.TRANSIENT else null } })
            var count = 0
            val bads = listOf<suspend () -> Any?>(
                { inner { count++.let { throw Bare() } } },
                {
                    runCatching { inner { count++.let { throw IOException() } } }.getOrElse { throw IOException("new") }
                },
                { inner { count++.let { "bad" } } },
            )
            for (bad in bads) {
                count = 0
                runCatching { runBlocking { outer { bad() } } }
                count shouldBe 9
            }
        }

        test("a result that is thrown as bad, and an outcome that is returned, are marked") {
            val judging = policy().with { onResult { if (it == "bad") Verdict.TRANSIENT else null } }
            val throwing = Retrier(judging.with { onBadResult = dev.reprise.core.OnBadResult.THROW })
            val outer = Retrier(
                policy().with {
                    onResult { if (it is dev.reprise.core.RetryOutcome.BadResult<*>) Verdict.TRANSIENT else null }
                },
            )
            var count = 0
            runCatching { runBlocking { Retrier(judging).invoke { throwing { count++.let { "bad" } } } } }
            count shouldBe 3
            count = 0
            runBlocking { outer { Retrier(judging).outcome { count++.let { "bad" } } } }
            count shouldBe 3
        }

        test("a retrier that is nested in itself, or shares all but its policy, does not multiply") {
            val retrier = Retrier(policy())
            for (inner in listOf(retrier, retrier.with(policy(attempts = 3, traces = false)))) {
                counted { fail -> retrier { inner { fail() } } } shouldBe 3
            }
        }

        test("an inner call that could not have retried is none: one attempt, a rejection") {
            val single = Retrier(policy(attempts = 1))
            val rejecting = Retrier(policy().with { classifier = Classifier.NONE })
            for (inner in listOf(single, rejecting)) {
                counted { fail -> Retrier(policy()).invoke { inner { fail() } } } shouldBe 3
            }
        }

        test("a poll looks again after its look gave up") {
            var looks = 0
            val polling = Polling.every(1.milliseconds, 1.minutes)
            runBlocking {
                Retrier(policy()).pollUntil(polling, { it == "done" }) {
                    if (++looks == 3) "done" else Retrier(policy()).invoke { throw IOException() }
                }
            }
            looks shouldBe 3
        }
    })
