package dev.reprise.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.shouldBe
import kotlin.io.path.writeText

class PagePartTest :
    FunSpec({
        val page = tempfile("page", ".md").toPath()
        page.writeText("# Page\n\n<!-- rows -->\n\none\ntwo\nthree\n\n<!-- end -->\n\nmore\n")

        test("a part that differs is shown line by line, with the command that writes it") {
            PagePart(page, "rows").assertIs("one\ntwo\nthree", "mvn test")
            shouldThrow<AssertionError> {
                PagePart(page, "rows").assertIs("one\n2\nthree", "mvn test")
            }.message shouldBe
                "$page is not up to date. If this is meant: mvn test -Ddocs.update=true\n- two\n+ 2"
            shouldThrow<AssertionError> { PagePart(page, "none").assertIs("", "mvn test") }.message shouldBe
                "$page has no part <!-- none --> … <!-- end -->"
        }

        test("a long difference is cut, and an order is told") {
            val old = List(50) { "line $it" }
            PagePart.difference(old.joinToString("\n"), "new").lines().size shouldBe 21
            PagePart.difference("a\nb", "b\na") shouldBe "the same lines in another order"
        }
    })
