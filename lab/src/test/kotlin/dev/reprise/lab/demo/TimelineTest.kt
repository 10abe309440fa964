package dev.reprise.lab.demo

import com.github.ajalt.mordant.rendering.AnsiLevel
import com.github.ajalt.mordant.terminal.Terminal
import com.github.ajalt.mordant.terminal.TerminalRecorder
import dev.reprise.core.RandomSource
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.test.Recorder
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.SocketException

class TimelineTest :
    FunSpec({
        test("a timeline tells each attempt, its class, its wait and its quota, and how the call ended") {
            var now = 0L
            val output = TerminalRecorder(ansiLevel = AnsiLevel.NONE, width = 200)
            val recorder = Recorder()
            val timeline = Timeline(Terminal(terminalInterface = output))
            val retrier = Retrier.builder().listener(timeline).listener(recorder).clock {
                now
            }.draws(RandomSource { 0.5 }).waiter(
                Waiter {
                    now += it.inWholeNanoseconds
                },
            ).build()
            timeline.quota = retrier.quota
            retrier { attempt ->
                now += 12_000_000
                if (attempt.number == 1) throw SocketException("Connection reset")
            }
            runCatching { retrier { error("no such thing") } }
            output.stdout().trimEnd().lines() shouldBe listOf(
                "  +0.012s  attempt 1  Connection reset           transient   wait 25ms              quota 486 (-14)",
                "  +0.049s  attempt 2  200 OK                     accepted    done                   quota 500 (+14)",
                "  succeeded on attempt 2, 49ms after the start, 25ms of it waiting to retry",
                "  +0.000s  attempt 1  no such thing              final       stop                   quota 500",
                "  not retried: another attempt would end the same way",
            )
            summary(recorder.calls) shouldBe "1 succeeded, 1 gave up (rejected 1), 0 was cancelled"
        }
    })
