package dev.reprise.build

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.time.Duration
import java.time.Instant

class HttpDateTest :
    FunSpec({
        test("a day has two digits on every day of a month") {
            httpDate(Duration.ofDays(1), Instant.parse("2026-12-01T06:00:00Z")) shouldBe "Wed, 02 Dec 2026 06:00:00 GMT"
            httpDate(Duration.ZERO, Instant.parse("2026-11-26T06:00:00Z")) shouldBe "Thu, 26 Nov 2026 06:00:00 GMT"
        }
    })
