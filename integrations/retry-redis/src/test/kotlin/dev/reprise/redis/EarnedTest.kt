package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.Exhaustive
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.boolean

class EarnedTest :
    FunSpec({
        test("what is earned adds up to a bucket at most, and is taken once") {
            checkAll(Arb.int(1, 1_000), Arb.list(Arb.int(0, 300), 0..20)) { most, parts ->
                val earned = Earned(most)
                parts.forEach(earned::add)
                earned.tokens shouldBe minOf(most, parts.sum())
                earned.take() shouldBe minOf(most, parts.sum())
                earned.take() shouldBe 0
            }
            Earned(Int.MAX_VALUE).run {
                add(Int.MAX_VALUE)
                add(Int.MAX_VALUE)
                tokens shouldBe Int.MAX_VALUE
            }
        }

        test("ten retries are worth a command, one if the server is empty, and anything after a long time") {
            checkAll(Exhaustive.boolean(), Exhaustive.boolean()) { isEmpty, isDue ->
                val worth = listOf(0, 1, 13, 14, 139, 140, 141).filter {
                    Earned(500).apply { add(it) }.isWorthSettling(14, isEmpty, isDue)
                }
                worth shouldBe when {
                    isDue -> listOf(1, 13, 14, 139, 140, 141)
                    isEmpty -> listOf(14, 139, 140, 141)
                    else -> listOf(140, 141)
                }
            }
        }
    })
