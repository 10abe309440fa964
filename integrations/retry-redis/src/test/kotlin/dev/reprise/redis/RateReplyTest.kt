package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class RateReplyTest :
    FunSpec({
        test("the script's times are in microseconds, and its gap in nanoseconds") {
            RateReply.of(listOf("1", "7", "20", "2.5", "30", "a:9", "12.5", "4")).run {
                isOff shouldBe true
                slots shouldBe 7
                firstNanos shouldBe 20_000
                gapNanos shouldBe 2.5
                againNanos shouldBe 30_000
                generation shouldBe "a:9"
                rate shouldBe 12.5
                clients shouldBe 4
            }
            RateReply.of(listOf("0", "0", "0", "0", "0", "", "0", "0")).isOff shouldBe false
        }
    })
