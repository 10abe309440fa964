package dev.reprise.conformance.laws

import dev.reprise.build.httpDate
import dev.reprise.core.Backoff
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Exhaustive
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.enum
import java.time.Duration

private val policy = RetryPolicy.HTTP.with { backoff = Backoff.IMMEDIATE }

/** Law: on every HTTP face a `Retry-After` that is a date counts from the server's `Date`, or from the response's arrival. */
class ServerDelayLawTest :
    FunSpec({
        /** How many requests each face makes if the first one is refused with [headers]. */
        suspend fun requests(vararg headers: String, expected: Int) = checkAll(Exhaustive.enum<HedgingFace>()) { face ->
            val replies = listOf(Replies.status(503, "busy", *headers), Replies.status(200, "there"))
            FaultServer { number, _ -> replies[minOf(number, 1)] }.use { server ->
                withClue("$face, ${headers.toList()}") {
                    face.open(policy, RetryListener { }).use { client ->
                        client.ask(Ask(server.uri())).await() shouldBe if (expected == 1) "503 busy" else "200 there"
                        server.requests().size shouldBe expected
                    }
                }
            }
        }

        test("a date that is farther away than the policy waits ends the call") {
            requests("Retry-After: ${httpDate(Duration.ofMinutes(10))}", expected = 1)
        }

        test("a date that is past is waited for no longer") {
            requests("Retry-After: ${httpDate(Duration.ofMinutes(-10))}", expected = 2)
        }

        test("the server's own date counts, however wrong one of the clocks is") {
            for (hours in listOf(-5L, 5L)) {
                val server = Duration.ofHours(hours)
                requests("Date: ${httpDate(server)}", "Retry-After: ${httpDate(server)}", expected = 2)
                val later = httpDate(server + Duration.ofMinutes(10))
                requests("Date: ${httpDate(server)}", "Retry-After: $later", expected = 1)
            }
        }
    })
