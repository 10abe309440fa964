package dev.reprise.core.shell.http

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorTable
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class BodyPeekTest :
    FunSpec({
        val checksums = Classifier.firstOf(Crc32Check("x-amz-crc32"), ErrorTable.STANDARD)

        test("failures are read as far as the setting says, successes are not") {
            val peek = BodyPeek.of(ErrorTable.STANDARD, errorBodyBytes = 1)
            listOf(199, 200, 299, 300, 503).map(peek::bytesOf) shouldBe listOf(0, 0, 0, 1, 1)
            peek.need shouldBe BodyNeed.FAILURES
            "$peek" shouldBe "FAILURES, 1 bytes"
        }

        test("an upgrade and a 304 have no body to read, not even for a checksum") {
            for (bytes in listOf(0, 100)) {
                for (status in listOf(101, 304)) BodyPeek.of(checksums, bytes).bytesOf(status) shouldBe 0
            }
            BodyPeek.of(ErrorTable.STANDARD, errorBodyBytes = 1).bytesOf(304) shouldBe 0
        }

        test("nothing is read where nobody looks") {
            val peek = BodyPeek.of(ErrorTable.STANDARD, errorBodyBytes = 0)
            listOf(200, 503).map(peek::bytesOf) shouldBe listOf(0, 0)
            peek.need shouldBe BodyNeed.NONE
        }

        test("a checksum reads every body, 64 KiB at least") {
            for (bytes in listOf(0, 100, 65_536)) {
                listOf(200, 503).map(BodyPeek.of(checksums, bytes)::bytesOf) shouldBe listOf(65_536, 65_536)
            }
            BodyPeek.of(checksums, 65_537).bytesOf(503) shouldBe 65_537
        }

        test("a negative number of bytes is refused") {
            BodyPeek.checkBytes(0) shouldBe 0
            BodyPeek.checkBytes(7) shouldBe 7
            shouldThrow<IllegalArgumentException> { BodyPeek.of(ErrorTable.STANDARD, -1) }.message shouldBe
                "errorBodyBytes must not be negative: -1"
        }

        test("what a face runs says of itself which policy, retrier and bodies") {
            val retrier = retriersOf(errorBodyBytes = 5).of(RetryPolicy.STANDARD)
            "${retrier.peek}" shouldBe "FAILURES, 5 bytes"
            "$retrier" shouldBe "${retrier.policy}"
        }
    })
