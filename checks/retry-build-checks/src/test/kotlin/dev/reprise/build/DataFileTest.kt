package dev.reprise.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.shouldBe
import kotlin.io.path.readText
import kotlin.io.path.writeText

class DataFileTest :
    FunSpec({
        val file = tempfile("table", ".csv").toPath()

        test("a table that differs is shown line by line, with the command that writes it") {
            file.writeText("name,value\none,1\ntwo,2\n")
            DataFile(file).assertIs(listOf(listOf("name", "value"), listOf("one", "1"), listOf("two", "2")), "mvn test")
            shouldThrow<AssertionError> {
                DataFile(
                    file,
                ).assertIs(listOf(listOf("name", "value"), listOf("one", "1"), listOf("two", "3")), "mvn test")
            }.message shouldBe
                "$file is not up to date. If this is meant: mvn test -Ddocs.update=true\n- two,2\n+ two,3"
        }

        test("a cell with a comma or a quotation mark is quoted") {
            DataFile(file).write(listOf(listOf("a, b", "c"), listOf("\"d\"", "")))
            file.readText() shouldBe "\"a, b\",c\n\"\"\"d\"\"\",\n"
        }

        test("a long difference is cut, and an order is told") {
            val old = List(50) { "line $it" }
            DataFile.difference(old.joinToString("\n"), "new").lines().size shouldBe 21
            DataFile.difference("a\nb", "b\na") shouldBe "the same lines in another order"
        }
    })
