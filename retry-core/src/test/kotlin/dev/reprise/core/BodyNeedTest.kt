package dev.reprise.core

import dev.reprise.core.shell.http.Crc32Check
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

class BodyNeedTest :
    FunSpec({
        val bySlowDown = ErrorTable(
            ErrorRule(null, Statuses.of(400)),
            ErrorRule(null, codes = setOf("a"), message = "slow down"),
        )
        val needs = mapOf(
            TransportErrors to BodyNeed.NONE,
            ErrorTable.STANDARD to BodyNeed.NONE,
            bySlowDown to BodyNeed.FAILURES,
            Crc32Check() to BodyNeed.ALL,
            Classifier.results { null } to BodyNeed.NONE,
            Classifier.results(BodyNeed.FAILURES) { null } to BodyNeed.FAILURES,
            Classifier.results(BodyNeed.ALL) { null } to BodyNeed.ALL,
        )

        test("each classifier says which bodies it looks at") {
            for ((classifier, need) in needs) classifier.bodyNeed shouldBe need
        }

        test("several need what any of them needs, one of the user's own among them") {
            checkAll(200, Arb.list(Arb.element(needs.keys), 0..5)) { parts ->
                val most = parts.maxOfOrNull { needs.getValue(it) } ?: BodyNeed.NONE
                Classifier.firstOf(*parts.toTypedArray()).bodyNeed shouldBe most
            }
        }
    })
