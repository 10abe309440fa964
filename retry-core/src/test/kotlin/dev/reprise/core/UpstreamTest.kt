package dev.reprise.core

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.orNull
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class UpstreamTest :
    FunSpec({
        fun read(vararg headers: Pair<String, String>) = headers.toMap().let { all -> UpstreamHeaders.read { all[it] } }

        test("a request without such headers is a first attempt") {
            read() shouldBe Upstream(1)
        }

        test("each header tells the number in its own way") {
            read("amz-sdk-request" to "attempt=2; max=3") shouldBe Upstream(2, 3)
            read("amz-sdk-request" to "ttl=20260101T000000Z; attempt=2; max=3") shouldBe Upstream(2, 3)
            read("amz-sdk-request" to "attempt=2") shouldBe Upstream(2)
            read("x-envoy-attempt-count" to "2") shouldBe Upstream(2)
            read("grpc-previous-rpc-attempts" to "1") shouldBe Upstream(2)
        }

        test(
            "the highest number counts: a sidecar may have repeated what its client had sent once, or the other way round",
        ) {
            checkAll(Arb.int(1..1_000), Arb.int(1..1_000), Arb.int(0..999)) { amz, envoy, before ->
                read(
                    "amz-sdk-request" to "attempt=$amz",
                    "x-envoy-attempt-count" to "$envoy",
                    "grpc-previous-rpc-attempts" to "$before",
                ).attempt shouldBe maxOf(amz, envoy, before + 1)
            }
        }

        test("the shortest limit counts, in each unit of gRPC, and Envoy's 0 is none") {
            read("grpc-timeout" to "250m") shouldBe Upstream(1).within(250.milliseconds)
            read("grpc-timeout" to "2S") shouldBe Upstream(1).within(2.seconds)
            read("grpc-timeout" to "3H", "x-envoy-expected-rq-timeout-ms" to "1500") shouldBe
                Upstream(1).within(1500.milliseconds)
            read("grpc-timeout" to "3H") shouldBe Upstream(1).within(3.hours)
            read("grpc-timeout" to "4M") shouldBe Upstream(1).within(4.minutes)
            read("grpc-timeout" to "5u") shouldBe Upstream(1).within(5.microseconds)
            read("grpc-timeout" to "6n") shouldBe Upstream(1).within(6.nanoseconds)
            for (unreadable in listOf("", "7", "7h", "m", "7 m s")) {
                read("grpc-timeout" to unreadable) shouldBe Upstream(1)
            }
            read("x-envoy-expected-rq-timeout-ms" to "0") shouldBe Upstream(1)
        }

        test("of two limits the shorter one counts, in either order") {
            val both = listOf(1.seconds, 2.seconds)
            for (limits in listOf(both, both.reversed())) {
                limits.fold(Upstream(2)) { upstream, limit -> upstream.within(limit) } shouldBe
                    Upstream(2).within(1.seconds)
            }
            read("x-envoy-expected-rq-timeout-ms" to "50").within(5.seconds) shouldBe
                Upstream(1).within(50.milliseconds)
        }

        test("whatever the headers hold, a number from 1 to 1,000 and a limit above zero comes out") {
            val text = Arb.choice(
                Arb.string(0..80),
                Arb.element("attempt=", "attempt=-1", "attempt=0", "attempt=99999999999", ";=;"),
                Arb.element("-1", "1e3", "٣", "+2", " "),
                Arb.int().map { "$it" },
                Arb.int().map { "attempt=$it; max=$it" },
                Arb.int().map { "${it}m" },
            ).orNull()
            checkAll(text, text, text) { amz, number, limit ->
                val headers = mapOf(
                    "amz-sdk-request" to amz,
                    "x-envoy-attempt-count" to number,
                    "grpc-previous-rpc-attempts" to number,
                    "grpc-timeout" to limit,
                    "x-envoy-expected-rq-timeout-ms" to limit,
                )
                val upstream = UpstreamHeaders.read { headers[it] }
                upstream.attempt.shouldBeBetween(1, 1_000)
                upstream.limitNanos shouldBeGreaterThan 0
            }
        }

        test("a header of a megabyte is not looked at") {
            read("amz-sdk-request" to "attempt=2;" + " ".repeat(1_000_000)) shouldBe Upstream(1)
            read("x-envoy-attempt-count" to "9".repeat(1_000_000)) shouldBe Upstream(1)
        }

        test("a number that is too high for us is still a retry") {
            read("amz-sdk-request" to "attempt=123456789").attempt shouldBe 1_000
        }

        test("an upstream says what it is, and a number that none has is refused") {
            Upstream(1_000).attempt shouldBe 1_000
            shouldThrow<IllegalArgumentException> { Upstream(1_001) }.message shouldBe
                "attempt must be from 1 to 1000: 1001"
            Upstream(2, 3).within(1.seconds).toString() shouldBe "upstream(attempt 2 of 3, within 1s)"
            shouldThrow<IllegalArgumentException> { Upstream(0) }.message shouldBe "attempt must be from 1 to 1000: 0"
        }
    })
