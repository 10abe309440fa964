package dev.reprise.lab.demo

import dev.reprise.faults.Replies
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeoutOrNull
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

class FaultyServerTest :
    FunSpec({
        test("it answers, resets and stalls by script, repeats the last reply, and counts what it was asked") {
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
    })
