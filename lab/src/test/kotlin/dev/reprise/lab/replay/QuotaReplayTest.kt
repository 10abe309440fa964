package dev.reprise.lab.replay

import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlin.time.Duration.Companion.milliseconds

private const val CALLS = 60
private const val SUCCESSES_FROM = 30
private const val MOST_ATTEMPTS = 12

/** A client whose server fails for a while: what it does in a replay, it does in a program. */
class QuotaReplayTest :
    FunSpec({
        fun statusOf(call: Int) = if (call in SUCCESSES_FROM until CALLS - 10) 200 else 500 + call % 2 * 3

        /** The attempts of each call, and the tokens after it. */
        fun played(policy: RetryPolicy): List<Pair<Int, Int?>> {
            val time = VirtualTime(0)
            val retrier = Retrier.builder(policy).clock(time).waiter(time.waiter).draws(RandomSource { 1.0 }).build()
            return List(CALLS) { call ->
                var attempts = 0
                time.run {
                    runCatching {
                        retrier {
                            attempts++
                            time.suspendFor(10.milliseconds)
                            Scenario.Response(0, statusOf(call), null, null, emptyMap(), null).received(time.nanoTime())
                        }
                    }
                }
                attempts to retrier.quota?.available
            }
        }

        fun replayed(policy: String): List<Pair<Int, Int?>> {
            val calls = List(CALLS) { call ->
                """{"outcomes": ${List(MOST_ATTEMPTS) { """{"status": ${statusOf(call)}, "takes": 0.01}""" }}}"""
            }
            val lines = replay("""{"policy": $policy, "calls": $calls}""").filter { it("verdict") != null }
            return lines.groupBy { it("call")!!.toInt() }.toSortedMap().values
                .map { it.size to it.last()("quota")?.toInt() }
        }

        for (preset in Presets.all) {
            test("a replay of ${preset.name} makes the attempts that a retrier makes, and leaves the same quota") {
                replayed("""{"preset": "${preset.name}"}""") shouldBe played(preset.policy())
            }
        }

        for (quota in listOf(
            """{"type": "ratio"}""",
            """{"type": "ratio", "percent": 10, "perSecond": 0}""",
            """{"type": "ratio", "percent": 50, "perSecond": 1, "windowSeconds": 1}""",
            """{"type": "steady", "seconds": 0.5}""",
        )) {
            test("a replay under the quota $quota makes the attempts that a retrier makes") {
                val backoff = """{"type": "exponential", "base": "10ms", "cap": "50ms"}"""
                val policy = """{"maxAttempts": $MOST_ATTEMPTS, "backoff": $backoff, "quota": $quota}"""
                replayed(policy) shouldBe played(PolicyJson.read(policy))
            }
        }

        test("a client that has just begun makes the few retries that its steady quota pays for") {
            replayed("""{"preset": "standard-steady"}""").take(6).sumOf { it.first - 1 } shouldBe 2
        }
    })
