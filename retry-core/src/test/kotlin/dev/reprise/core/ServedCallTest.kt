package dev.reprise.core

import dev.reprise.core.shell.call.ServedRequest
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration.Companion.nanoseconds

class ServedCallTest :
    FunSpec({
        test(
            "a call for a retry makes one attempt, if its policy stops what others repeat; any other makes what it allows",
        ) {
            checkAll(Arb.int(1..1_000), Arb.int(1..5), Arb.enum<WhenRetriedBelow>()) { number, most, setting ->
                val shell = Shell(
                    RetryPolicy {
                        maxAttempts = most
                        whenRetriedBelow = setting
                    },
                )
                val call = ServedRequest(Upstream(number)) { 0 }.open().use { shell.run({ throw IOException() }) }
                val isOne = number > 1 && setting == WhenRetriedBelow.STOP
                call.attempts shouldBe if (isOne) 1 else most
                call.reason shouldBe StopReason.ATTEMPTS
            }
        }

        test("an attempt for a retry knows that it is the last one, and requests carry at least that retry's number") {
            checkAll(Arb.int(1..10), Arb.int(1..4)) { number, most ->
                val shell = Shell(RetryPolicy { maxAttempts = most })
                val call = ServedRequest(Upstream(number)) { 0 }.open().use { shell.begin() }
                while (!call.isOver) {
                    val attempt = call.begins()
                    attempt.sentNumber shouldBe maxOf(attempt.number, number)
                    attempt.isLast shouldBe (number > 1 || attempt.number == most)
                    call.ended(IOException())
                }
            }
        }

        test("the limit of a request shortens the deadline of a call, and makes none") {
            checkAll(Arb.long(1L..1_000_000_000_000).orNull(), Arb.long(1L..1_000_000_000_000)) { deadline, limit ->
                val shell = Shell(RetryPolicy { this.deadline = deadline?.nanoseconds })
                val bounded = ServedRequest(Upstream(1).within(limit.nanoseconds)) {
                    0
                }.open().use { shell.setup.bounded(CallOptions.DEFAULT) }
                if (deadline == null) {
                    bounded.deadline shouldBe null
                } else {
                    shell.policy.deadlineOf(bounded) shouldBe minOf(deadline, limit)
                }
            }
        }

        test("a scope puts back what was there before, on any way out") {
            ServedRequest.current() shouldBe null
            val outer = ServedRequest(Upstream(2)) { 0 }
            outer.open().use {
                runCatching {
                    ServedRequest(Upstream(3)) { 0 }.open().use {
                        ServedRequest.current()!!.upstream shouldBe Upstream(3)
                        error("out")
                    }
                }
                ServedRequest.current() shouldBe outer
            }
            ServedRequest.current() shouldBe null
        }
    })
