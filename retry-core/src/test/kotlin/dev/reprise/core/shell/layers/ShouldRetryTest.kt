package dev.reprise.core.shell.layers

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.Reply
import dev.reprise.core.ReplyException
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.StopReason
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.call.AroundClassifier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll

/** What a server says of whether its failure is retried. */
class ShouldRetryTest :
    FunSpec({
        val names = Arb.element("x-should-retry", "X-Should-Retry", "Stripe-Should-Retry", "stripe-should-retry")

        /** What a call under [policy] makes of [answer], which each of its attempts gets, thrown or returned. */
        fun ends(policy: RetryPolicy, answer: Reply, throws: Boolean, options: CallOptions = CallOptions.DEFAULT) =
            Shell(policy).begin(options).also { call ->
                while (!call.isOver) call.ends(if (throws) ReplyException(answer) else answer)
            }

        test("false on 400 and more ends the call as retried below, whatever the status is") {
            checkAll(names, Arb.int(400..599), Arb.boolean()) { name, status, throws ->
                val call = ends(RetryPolicy.HTTP, Reply(status, headers = mapOf(name to "false")), throws)
                call.reason shouldBe StopReason.RETRIED_BELOW
                call.attempts shouldBe 1
            }
        }

        test("true on 400 and more makes a failure transient, within the policy's attempts and what may be repeated") {
            checkAll(names, Arb.int(400..599), Arb.boolean(), Arb.int(1..4), Arb.enum<Repeat>()) {
                    name,
                    status,
                    throws,
                    most,
                    repeat,
                ->
                val policy = RetryPolicy.HTTP.with {
                    maxAttempts = most
                    quota = null
                }
                val call = ends(
                    policy,
                    Reply(status, headers = mapOf(name to "true")),
                    throws,
                    CallOptions { this.repeat = repeat },
                )
                val mayRepeat = repeat == Repeat.SAFE
                call.attempts shouldBe if (mayRepeat) most else 1
                call.reason shouldBe if (mayRepeat || most == 1) StopReason.ATTEMPTS else StopReason.NOT_REPLAYABLE
            }
        }

        test(
            "true brings back nothing that the policy never retries, whatever its status is, also within a client's rules",
        ) {
            checkAll(names, Arb.int(400..599), Arb.boolean()) { name, status, isWithin ->
                val bare = RetryPolicy.HTTP.with { rejectOn<ReplyException>() }
                val policy = if (isWithin) bare.with { classifier = object : AroundClassifier(classifier) {} } else bare
                val call = ends(policy, Reply(status, headers = mapOf(name to "true")), throws = true)
                call.reason shouldBe StopReason.REJECTED
                call.attempts shouldBe 1
                ends(policy, Reply(status, headers = mapOf(name to "false")), throws = true).reason shouldBe
                    StopReason.RETRIED_BELOW
            }
        }

        test("below 400, in any other word, and in a policy that does not honour it, it says nothing") {
            checkAll(names, Arb.int(100..599), Arb.string(0..6), Arb.boolean()) { name, status, word, throws ->
                val value = if (status < 400) {
                    "false"
                } else {
                    word.takeIf { it.lowercase() !in setOf("true", "false") } ?: "no"
                }
                val bare = ends(RetryPolicy.HTTP, Reply(status), throws)
                val said = ends(RetryPolicy.HTTP, Reply(status, headers = mapOf(name to value)), throws)
                said.reason shouldBe bare.reason
                val unheard = RetryPolicy.HTTP.with { honourShouldRetry = false }
                ends(unheard, Reply(status, headers = mapOf(name to "false")), throws).reason shouldBe
                    ends(unheard, Reply(status), throws).reason
            }
        }

        test("a call that retries what was retried below goes by the status alone, and one that stops stops") {
            val retries = RetryPolicy.HTTP.with { whenRetriedBelow = WhenRetriedBelow.RETRY }
            val ways = listOf(retries to CallOptions.DEFAULT) +
                listOf(retries, RetryPolicy.HTTP).map {
                    it to CallOptions.DEFAULT.onRetriedBelow(WhenRetriedBelow.RETRY)
                }
            checkAll(names, Arb.int(400..599), Arb.boolean()) { name, status, throws ->
                val refusal = Reply(status, headers = mapOf(name to "false"))
                for ((policy, options) in ways) {
                    ends(policy, refusal, throws, options).reason shouldBe
                        ends(policy, Reply(status), throws, options).reason
                }
                ends(
                    retries,
                    refusal,
                    throws,
                    CallOptions.DEFAULT.onRetriedBelow(WhenRetriedBelow.STOP),
                ).reason shouldBe StopReason.RETRIED_BELOW
            }
        }
    })
