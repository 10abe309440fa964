package dev.reprise.core

import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.time.nanosText
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

class BriefTextTest :
    FunSpec({
        test("what passed is told in at most four digits that are not zero, and in the words of settings") {
            briefText(37_539_365) shouldBe "37.54ms"
            briefText(117_300_000) shouldBe "117.3ms"
            briefText(5_050_000_000) shouldBe "5.05s"
            briefText(999_960) shouldBe "1ms"
            checkAll(Arb.long(0L..Long.MAX_VALUE)) { nanos ->
                briefText(nanos).filter { it.isDigit() }.trim('0').length shouldBeLessThanOrEqual 4
            }
        }

        test("what has no more digits is told exactly") {
            checkAll(Arb.long(0L..9_999L), Arb.long(0L..9L)) { digits, zeros ->
                val nanos = (1..zeros).fold(digits) { n, _ -> n * 10 }
                briefText(nanos) shouldBe nanosText(nanos)
            }
            briefText(Long.MAX_VALUE) shouldBe "unlimited"
        }
    })
