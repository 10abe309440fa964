package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe

class UnitJudgedTest :
    FunSpec({
        class Heard : RetryEventListener {
            val told = mutableListOf<RetryEvent.UnitJudged>()

            override fun onUnitJudged(event: RetryEvent.UnitJudged) {
                told += event
            }
        }

        val judging = RetryPolicy { onResult { if (it == "bad") Verdict.TRANSIENT else null } }

        test("a policy that judges results and is given Unit says so, once for all calls of a retrier") {
            val heard = Heard()
            val shell = Shell(judging, listOf(heard))
            repeat(3) { shell.run({ "bad" }, { Unit }) }
            heard.told shouldHaveSize 1
            heard.told.single().attempt shouldBe 2
        }

        test("a policy that judges no results, and one that is given results, say nothing") {
            val heard = Heard()
            Shell(RetryPolicy.STANDARD, listOf(heard)).run({ Unit })
            Shell(judging, listOf(heard)).run({ "good" })
            heard.told shouldHaveSize 0
        }
    })
