package dev.reprise.grpc

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.bound
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.word
import io.grpc.Metadata
import io.grpc.Status
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.byte
import io.kotest.property.arbitrary.byteArray
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.io.ByteArrayOutputStream

/** Writes protobuf's wire format. */
private class Wireless {
    val bytes = ByteArrayOutputStream()

    private fun varint(value: Long) {
        var left = value
        while (left and 0x7fL.inv() != 0L) {
            bytes.write((left and 0x7f or 0x80).toInt())
            left = left ushr 7
        }
        bytes.write(left.toInt())
    }

    fun number(field: Int, value: Long) = apply {
        varint(field.toLong() shl 3)
        varint(value)
    }

    fun bytes(field: Int, value: ByteArray) = apply {
        varint((field.toLong() shl 3) or 2)
        varint(value.size.toLong())
        bytes.write(value)
    }

    fun done(): ByteArray = bytes.toByteArray()
}

private fun any(type: String, value: ByteArray) = Wireless().bytes(1, type.encodeToByteArray()).bytes(2, value).done()

private fun retryInfo(seconds: Long, nanos: Long): ByteArray {
    val duration = Wireless().number(1, seconds).number(2, nanos).done()
    return any("type.googleapis.com/google.rpc.RetryInfo", Wireless().bytes(1, duration).done())
}

private fun trailersOf(vararg details: ByteArray): Metadata {
    val status = Wireless().number(1, 14).bytes(2, "busy".encodeToByteArray())
    details.forEach { status.bytes(3, it) }
    return Metadata().also { it.put(RetryInfo.KEY, status.done()) }
}

class RetryInfoTest :
    FunSpec({
        test("the delay is read, among other details, to the nanosecond") {
            val other = any("type.googleapis.com/google.rpc.ErrorInfo", byteArrayOf(10, 1, 65))
            checkAll(Arb.long(0L..1_000_000L), Arb.int(0..999_999_999)) { seconds, nanos ->
                RetryInfo.nanosIn(trailersOf(other, retryInfo(seconds, nanos.toLong()))) shouldBe
                    seconds * 1_000_000_000 + nanos
            }
            // As protoc encodes it: RetryInfo { retry_delay { seconds: 1 nanos: 500000000 } }.
            retryInfo(1, 500_000_000).takeLast(10) shouldBe listOf<Byte>(10, 8, 8, 1, 16, -128, -54, -75, -18, 1)
        }

        test("a delay that is negative or out of range is none; a huge one saturates") {
            RetryInfo.nanosIn(trailersOf(retryInfo(-1, 0))).shouldBeNull()
            RetryInfo.nanosIn(trailersOf(retryInfo(0, -1))).shouldBeNull()
            RetryInfo.nanosIn(trailersOf(retryInfo(0, 1_000_000_000))).shouldBeNull()
            RetryInfo.nanosIn(trailersOf(retryInfo(Long.MAX_VALUE, 0))) shouldBe Long.MAX_VALUE
            RetryInfo.nanosIn(trailersOf()).shouldBeNull()
            RetryInfo.nanosIn(Metadata()).shouldBeNull()
        }

        test("whatever bytes a server sends, reading them ends and throws nothing") {
            val good = trailersOf(retryInfo(3, 7))[RetryInfo.KEY]!!
            checkAll(2_000, Arb.byteArray(Arb.int(0..200), Arb.byte())) { bytes ->
                RetryInfo.nanosIn(Metadata().also { it.put(RetryInfo.KEY, bytes) })?.let { (it >= 0) shouldBe true }
            }
            checkAll(2_000, Arb.int(good.indices), Arb.byte()) { at, byte ->
                val damaged = good.copyOf().also { it[at] = byte }
                RetryInfo.nanosIn(Metadata().also { it.put(RetryInfo.KEY, damaged) })?.let { (it >= 0) shouldBe true }
            }
            val large = trailersOf(ByteArray(9_000), retryInfo(1, 0))
            RetryInfo.nanosIn(large).shouldBeNull()
        }

        test("the delay is the least wait, up to the policy's bound, and pushback comes first") {
            val rules = GrpcRules(RetryPolicy.STANDARD.classifier, Pushback.mostOf(RetryPolicy.STANDARD))
            fun verdict(trailers: Metadata) =
                rules.classifyFailure(AttemptFailure(Status.UNAVAILABLE, trailers, isUnsent = false)) as Verdict.Retry

            val asked = verdict(trailersOf(retryInfo(2, 0)))
            asked.kind shouldBe FailureKind.TRANSIENT
            asked.serverDelay.shouldNotBeNull().run {
                val nanos = delay.inWholeNanoseconds
                nanos shouldBe 2_000_000_000
                toString() shouldBe "server asks for 2s"
                val bound = rule.shouldNotBeNull().bound
                bound.word shouldBe "atLeast"
                bound.delayNanos(backoffNanos = 3_000_000_000, askedNanos = nanos) shouldBe 3_000_000_000
                bound.delayNanos(backoffNanos = 0, askedNanos = 6_000_000_000) shouldBe -1
            }
            val pushed = trailersOf(retryInfo(2, 0)).also { it.put(Pushback.KEY, "7") }
            "${verdict(pushed).serverDelay}" shouldBe "server asks for exactly 7ms"
        }
    })
