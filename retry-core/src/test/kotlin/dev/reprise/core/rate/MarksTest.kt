package dev.reprise.core.rate

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

class MarksTest :
    FunSpec({
        val millis = 1_000_000L

        test("counts answers, and a mark changes no count") {
            checkAll(Arb.long(0L..1_000_000_000_000L)) { now ->
                Marks(0).answered(1, now).spareAt(now).answered(1, now).answers shouldBe 2
            }
        }

        test("a permit that was left is known for as long as is asked, and not before there was one") {
            checkAll(Arb.long(0L..10_000_000_000_000L)) { at ->
                val marks = Marks(0).spareAt(at)
                marks.wasSpare(at + 2 * millis, 5.0 * millis) shouldBe true
                marks.wasSpare(at - 2 * millis, 5.0 * millis) shouldBe true
                marks.wasSpare(at + 8 * millis, 5.0 * millis) shouldBe false
                Marks(0).wasSpare(at, 5.0 * millis) shouldBe false
            }
        }

        test("an answer after a minute forgets it, so that the face of the clock may go round") {
            val later = 61 * NANOS_PER_SECOND
            val marks = Marks(0).spareAt(0).answered(1, later)
            marks.answers shouldBe 1
            for (minutes in 1L..40L) marks.wasSpare(minutes * 60 * NANOS_PER_SECOND, 5.0 * millis) shouldBe false
        }
    })
