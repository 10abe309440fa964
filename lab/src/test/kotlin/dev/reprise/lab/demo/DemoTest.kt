package dev.reprise.lab.demo

import com.github.ajalt.mordant.rendering.AnsiLevel
import com.github.ajalt.mordant.terminal.Terminal
import com.github.ajalt.mordant.terminal.TerminalRecorder
import dev.reprise.build.logged
import dev.reprise.core.RandomSource
import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.faults.Replies
import dev.reprise.ktor.Retry
import dev.reprise.test.Recorder
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import java.io.IOException
import java.net.SocketException
import kotlin.time.Duration.Companion.milliseconds

class DemoTest :
    FunSpec({
        test(
            "the demo's server answers, resets and stalls by script, repeats the last reply, and counts what it was asked",
        ) {
            val script = listOf(answer(503, "Retry-After: 1"), RESET, Replies.stall(), answer(200))
            faultyServer(mapOf("/a" to script)).use { server ->
                val client = Client("${server.uri()}".removeSuffix("/"))
                client.send("GET", "/a").let { "${it.status}, ${it.header("retry-after")}" } shouldBe "503, 1"
                shouldThrow<IOException> { client.send("GET", "/a") }
                coroutineScope {
                    val stalled = async { client.send("GET", "/a") }
                    // A request that is given up before the server has it would leave the stall to the next one.
                    while (server.served() < 3) delay(1)
                    withTimeoutOrNull(200.milliseconds) { stalled.await() } shouldBe null
                    stalled.cancel()
                }
                client.send("GET", "/a").status shouldBe 200
                client.send("POST", "/a").status shouldBe 200
                client.send("GET", "/b").status shouldBe 404
                server.served() shouldBe 6
            }
        }

        test("the scrape tells the calls and the quota of the retrier that it watches") {
            val scrape = Scrape()
            val retrier = Retrier.builder().listener(scrape.listener).waiter { }.build()
            scrape.watch(retrier)
            retrier { if (it.number < 2) throw IOException() }
            runCatching { retrier { throw IOException() } }
            scrape.text().lines() shouldContainAll
                listOf(
                    """reprise_calls_total{client="demo",operation="all",outcome="success",retried="true"} 1.0""",
                    """reprise_give_ups_total{client="demo",operation="all",reason="attempts"} 1.0""",
                    """reprise_quota_available_tokens{client="demo"} 472.0""",
                )
        }

        test("a timeline tells each attempt, its class, its wait and its quota, and how the call ended") {
            var now = 0L
            val output = TerminalRecorder(ansiLevel = AnsiLevel.NONE, width = 200)
            val recorder = Recorder()
            val timeline = Timeline(Terminal(terminalInterface = output))
            val retrier = Retrier.builder().listener(timeline).listener(recorder).clock {
                now
            }.draws(RandomSource { 0.5 }).waiter(Waiter { now += it.inWholeNanoseconds }).build()
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

        test("the demo's policy is one that an HTTP client takes without a warning") {
            val retrier = Retrier(Scenes.POLICY)
            val client = HttpClient(MockEngine { respond("ok") }) {
                install(Retry) { retriers = RetrierCache(1) { retrier } }
            }
            logged("dev.reprise") { runBlocking { client.get("http://demo.example/") } }.shouldBeEmpty()
        }
    })
