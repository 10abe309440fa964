package dev.reprise.lab.experiment

import com.github.ajalt.mordant.rendering.AnsiLevel
import com.github.ajalt.mordant.terminal.Terminal
import dev.reprise.lab.text.tableOf
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.positiveLong
import io.kotest.property.checkAll

class TableTest :
    FunSpec({
        fun lines(width: Int, heading: List<String>, row: List<String>): List<String> =
            Terminal(AnsiLevel.NONE, width = width).render(tableOf(heading, listOf(row))).lines()

        test("no figure is cut, however large it is and however narrow the terminal") {
            checkAll(Arb.positiveLong(), Arb.positiveLong(), Arb.int(10..200)) { a, b, width ->
                val cells = listOf("standard-2.1", "$a", "$b", "0.4 %")
                val lines = lines(width, listOf("policy", "calls", "attempts per call, down", "lost"), cells)
                lines.single { "standard-2.1" in it }.split('│').map { it.trim() } shouldContainAll cells
                lines.map { it.length }.distinct().size shouldBe 1
            }
        }

        test("a long heading goes over several lines") {
            val lines = lines(80, listOf("policy", "attempts per call, down"), listOf("standard-2.1", "1.59"))
            lines[0].length shouldBe "┌──────────────┬──────────┐".length
        }
    })
