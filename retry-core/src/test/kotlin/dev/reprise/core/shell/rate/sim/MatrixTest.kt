package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThanOrEqual
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe

/**
 * What `adaptive-steady` promises, on simulated servers. The whole matrix takes minutes and runs with
 * `-Dsteady.matrix=true`; `MatrixReport.kt` prints it.
 */
class MatrixTest :
    FunSpec({
        val steady = SendRateSettings.STEADY
        val isWhole = System.getProperty("steady.matrix") == "true"

        fun single(conditions: List<Condition>) {
            for (condition in conditions) {
                val fleet = Fleet(condition, steady, 1).run()
                withClue("$condition: success ${fleet.success}, throttled ${fleet.throttledShare}") {
                    fleet.success shouldBeGreaterThanOrEqual least(condition)
                    fleet.throttledShare shouldBeLessThanOrEqual mostThrottled(condition)
                }
            }
        }

        test("one client of 200 callers is served nearly all, whatever the server is") { single(Matrix.quick) }

        test("one client is served, in every cell of the matrix").config(enabled = isWhole) { single(Matrix.single) }

        test(
            "a client that knows nothing, and whose callers begin together, starts no slower than under the SDKs' rule",
        ) {
            for (condition in Matrix.starts.filter { it.clients == 1 }) {
                fun served(settings: SendRateSettings) = (10L..19L).map { seed ->
                    Fleet(condition, settings, seed).run().served(0.0, 10.0)
                }.average()
                withClue("$condition, the first ten seconds") {
                    served(steady) shouldBeGreaterThanOrEqual served(SendRateSettings.EXACT)
                }
            }
        }

        test("the rate settles on what a server has become, on seeds on which no constant was chosen") {
            val limits = mapOf(
                (100 to 50) to listOf(6.0, 7.0),
                (100 to 10) to listOf(24.0, 16.0),
                (10 to 1) to listOf(25.0, 15.0),
                (100 to 200) to listOf(13.0, 25.0),
                (1 to 10) to listOf(25.0, 25.0),
            )
            for ((step, most) in limits) {
                for (server in listOf(ServerKind.BUCKET_10, ServerKind.BUCKET_1, ServerKind.FIXED)) {
                    withClue("$step, ${server.title}") {
                        val seconds = Matrix.settling(step.first, step.second, server, steady)
                        seconds.last() shouldBeLessThanOrEqual if (server == ServerKind.FIXED) most[1] else most[0]
                    }
                }
            }
        }

        test("callers that come in bunches wait no longer than the server makes them, if that takes a bunch") {
            for (condition in Matrix.bunches) {
                withClue(condition) {
                    val fleet = Fleet(condition, steady, 1).run()
                    fleet.admitted shouldBeGreaterThan 500
                    fleet.longWait shouldBeLessThanOrEqual if (condition.together > 1) 1.5 else 0.02
                }
            }
        }

        test("demand that grows to twenty times as much is served within a minute, as far as the server allows") {
            for (condition in Matrix.demand) {
                val success = Fleet(condition, steady, 1).run().success
                withClue(condition) {
                    success shouldBeGreaterThanOrEqual if (condition.server == ServerKind.COUNTING) 0.65 else 0.85
                }
            }
        }

        test("a counting window whose answers take a second serves two thirds, and refuses a fifth at most") {
            val slow = Matrix.single.filter {
                it.server == ServerKind.COUNTING && it.latency === Condition.SLOW && it.callers > 1 &&
                    it.capacity(0.0) in 0.5..50.0
            }
            slow.size shouldBe 4
            for (condition in slow) {
                val runs = (1L..4L).map { Fleet(condition, steady, it).run() }
                withClue(condition) {
                    runs.map { it.success }.average() shouldBeGreaterThanOrEqual 0.65
                    runs.map { it.throttledShare }.average() shouldBeLessThanOrEqual 0.2
                }
            }
        }

        test(
            "a fast server that becomes a slow counting window is found, though it accepts nothing while it is asked too often",
        ) {
            for (condition in Matrix.slowed) {
                withClue(condition) { Fleet(condition, steady, 1).run().success shouldBeGreaterThanOrEqual 0.5 }
            }
        }

        test("callers that wake late get what came due meanwhile, where the server takes it together") {
            single(Matrix.sleepy.filter { it.server != ServerKind.BUCKET_1 })
        }

        test("a server without a burst serves callers who do not use its rate up") { single(Matrix.unused) }

        test("a server of one a second refuses less than seven of a hundred attempts") {
            for (callers in listOf(10, 200)) {
                val condition = Condition(ServerKind.BUCKET_1, callers, seconds = 600.0) { 1.0 }
                val runs = (1L..4L).map { Fleet(condition, steady, it).run() }
                runs.map { it.throttledShare }.average() shouldBeLessThan 0.07
                runs.minOf { it.success } shouldBeGreaterThanOrEqual 0.88
            }
        }

        test("two hundred callers of ten a second have nearly the same in the long run") {
            for (seed in 1L..3L) {
                Fleet(Matrix.crowded.last(), steady, seed).run().worstCaller shouldBeGreaterThanOrEqual
                    0.85
            }
        }

        test("after three minutes without a throttle no call waits, in a burst neither") {
            val fleet = Fleet(Matrix.quiet, steady, 1).run()
            fleet.samples.any { it.permitted > 0 } shouldBe true
            fleet.asked shouldBeGreaterThan 10_000
            fleet.waits shouldBe 0
            val more = Fleet(Matrix.unlimited, steady, 1).run()
            more.admitted shouldBeGreaterThan 2000
            more.waits shouldBe 0
        }

        test("after a minute of throttles a server is used again within seconds") {
            for (rate in listOf(10.0, 100.0, 1000.0)) {
                val run = Fleet(Matrix.outage(rate, Condition.Answers.THROTTLES), steady, 1).run()
                withClue("C $rate") {
                    run.served(180.0, 185.0) shouldBeGreaterThanOrEqual 0.35 * rate
                    run.served(180.0, 200.0) shouldBeGreaterThanOrEqual 0.75 * rate
                }
            }
        }

        test("in a minute of 500s no more is sent than had been learnt, and capacity is used at once after it") {
            for (rate in listOf(10.0, 100.0, 1000.0)) {
                val run = Fleet(Matrix.outage(rate, Condition.Answers.BROKEN), steady, 1).run()
                val samples = run.samples
                val before = samples.filter { it.at in 60.0..120.0 }.sumOf { it.sent } / 60.0
                val meanwhile = samples.filter { it.at in 120.5..180.0 }.sumOf { it.sent } / 59.5
                withClue("C $rate") {
                    meanwhile shouldBeLessThanOrEqual 1.1 * before
                    run.served(180.0, 185.0) shouldBeGreaterThanOrEqual 0.9 * rate
                }
            }
        }
    })

/** The least success that is promised. `docs/research/adaptive.md` says why some are as low as they are. */
private fun least(condition: Condition): Double {
    val rate = condition.capacity(0.0)
    return when {
        condition.callers == 1 -> 0.15
        condition.latency.mean > 0.1 -> 0.4
        condition.server == ServerKind.BUCKET_1 && rate >= 1000 -> 0.9
        rate < 1 -> if (condition.server == ServerKind.COUNTING) 0.6 else 0.7
        rate < 10 -> 0.88
        condition.latency === Condition.HEAVY -> if (condition.server == ServerKind.CONCURRENCY) 0.5 else 0.7
        else -> leastOfKind.getValue(condition.server)
    }
}

private val leastOfKind = mapOf(
    ServerKind.BUCKET_1 to 0.93,
    ServerKind.BUCKET_10 to 0.93,
    ServerKind.BUCKET_C to 0.7,
    ServerKind.FIXED to 0.93,
    ServerKind.SLIDING to 0.93,
    ServerKind.COUNTING to 0.8,
    ServerKind.QUEUE to 0.93,
    ServerKind.CONCURRENCY to 0.75,
)

private fun mostThrottled(condition: Condition): Double = when {
    condition.callers == 1 || condition.latency.mean > 0.1 -> 0.9
    condition.capacity(0.0) < 1 -> if (condition.server == ServerKind.COUNTING) 0.4 else 0.25
    condition.capacity(0.0) < 10 -> 0.12
    else -> 0.1
}
