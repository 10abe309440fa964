package dev.reprise.core

import dev.reprise.build.logged
import dev.reprise.core.shell.text.WarningLog
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import java.io.IOException
import java.util.logging.LogRecord

class ListenersTest :
    FunSpec({
        val failures = listOf(
            IllegalStateException("bug"),
            StackOverflowError(),
            NoClassDefFoundError("gone"),
            InterruptedException(),
        )

        test("a listener that throws changes nothing, and those after it hear everything") {
            for (failure in failures) {
                val quiet = Recorder()
                val calm = Shell(listeners = listOf(quiet)).outcome({ throw IOException("a") }, { "up" })
                val broken = object : RetryEventListener {
                    override fun onEvent(event: RetryEvent): Unit = throw failure
                }
                val after = Recorder()
                val reports = reported {
                    val shell = Shell(listeners = listOf(broken, after))
                    shell.outcome({ throw IOException("a") }, { "up" }) shouldBe calm
                }
                after.events.map { it.javaClass } shouldBe quiet.events.map { it.javaClass }
                reports shouldHaveSize if (failure is Error) 1 else after.events.size
                reports.first().thrown shouldBe failure
                Thread.interrupted() shouldBe (failure is InterruptedException)
            }
        }

        test("a listener that was added twice hears each event once; one that equals another is another") {
            val once = Recorder()
            Shell(listeners = listOf(once)).run({ throw IOException("a") }, { 1 })
            val (twice, between) = List(2) { Recorder() }
            Shell(listeners = listOf(twice, between, twice)).run({ throw IOException("a") }, { 1 })
            listOf(twice, between).forEach {
                it.events.map { e -> e.javaClass } shouldBe once.events.map { e -> e.javaClass }
            }

            data class Equal(val heard: MutableList<RetryEvent>) : RetryListener {
                override fun onEvent(event: RetryEvent) {
                    heard += event
                }
            }
            val equals = List(2) { Equal(mutableListOf()) }
            Shell(listeners = equals).run({ 1 })
            equals.map { it.heard.size } shouldBe listOf(3, 3)
        }

        test("a call made inside a listener tells none of its retrier's listeners, and those of another retrier") {
            val after = Recorder()
            val others = Recorder()
            var made = 0
            lateinit var own: RetryListener
            val other = Shell(listeners = listOf(others))
            own = RetryListener {
                made++
                Shell(listeners = listOf(own)).run({ 1 })
                Shell(listeners = listOf(Recorder(), own)).run({ throw IOException("a") }, { 1 })
                other.run({ 1 })
            }
            Shell(listeners = listOf(own, after)).run({ 1 })
            after.events shouldHaveSize 3
            made shouldBe 3
            others.events shouldHaveSize 9
        }

        test("two retriers whose listeners call one another come to an end") {
            var told = 0
            lateinit var first: Shell
            lateinit var second: Shell
            first = Shell(listeners = listOf(RetryListener { if (++told < MOST) second.run({ 1 }) }))
            second = Shell(listeners = listOf(RetryListener { if (++told < MOST) first.run({ 1 }) }))
            first.run({ 1 })
            // Three events of the first, and the three of the second that each of them caused.
            told shouldBe 12
        }

        test("the report of a broken listener shows no secret of the event that it broke on") {
            val broken = object : RetryEventListener {
                override fun onAttemptFailed(event: RetryEvent.AttemptFailed): Unit = error("bug")
            }
            val reports = reported {
                Shell(listeners = listOf(broken)).run({ throw IOException("http://h/?token=hunter2") }, { 1 })
            }
            reports shouldHaveSize 1
            reports.single().message shouldContain
                "attempt 1 failed (transient: transport error): java.io.IOException: http://h/?..."
            reports.single().message shouldNotContain "hunter2"
        }

        test("a listener may be told everything, and its own kinds of events besides") {
            val heard = mutableListOf<String>()
            val listener = object : RetryEventListener {
                override fun onEvent(event: RetryEvent) {
                    heard += event.javaClass.simpleName
                    super.onEvent(event)
                }

                override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
                    heard += "delay ${event.delayNanos}"
                }
            }
            Shell(RetryPolicy { quota = null }, listOf(listener)).run({ throw IOException() }, { 1 })
            heard shouldContainExactly listOf(
                "CallStarted",
                "AttemptStarted",
                "AttemptFailed",
                "RetryScheduled",
                "delay 50000000",
                "AttemptStarted",
                "CallSucceeded",
            )
        }

        class Heard : RetryEventListener {
            val told = mutableListOf<RetryEvent.UnitJudged>()

            override fun onUnitJudged(event: RetryEvent.UnitJudged) {
                told += event
            }
        }

        val judging = RetryPolicy { onResult { if (it == "bad") Verdict.TRANSIENT else null } }

        test("a policy that judges results and is given Unit says so, once for all calls of a retrier") {
            val heard = Heard()
            val shell = Shell(judging, listOf(heard))
            repeat(3) { shell.run({ "bad" }, { Unit }) }
            heard.told shouldHaveSize 1
            heard.told.single().attempt shouldBe 2
        }

        test("a policy that judges no results, and one that is given results, say nothing") {
            val heard = Heard()
            Shell(RetryPolicy.STANDARD, listOf(heard)).run({ Unit })
            Shell(judging, listOf(heard)).run({ "good" })
            heard.told shouldHaveSize 0
        }
    })

private const val MOST = 1_000

/** What [block] logs through `java.util.logging`, where `System.Logger` goes in tests. */
private fun reported(block: () -> Unit): List<LogRecord> = logged(WarningLog.LOGGER, block)
