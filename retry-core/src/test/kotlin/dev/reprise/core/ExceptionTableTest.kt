package dev.reprise.core

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.FileNotFoundException
import java.io.IOException
import java.net.ConnectException

class ExceptionTableTest :
    FunSpec({
        val transient = ExceptionRule(FailureKind.TRANSIENT, setOf("java.io.IOException"))
        val reset = ExceptionRule(null, setOf("java.io.IOException"), message = "reset")
        val unsent = ExceptionRule(FailureKind.TRANSIENT, setOf("java.net.ConnectException"), unsent = true)

        test("a class is found by its own name and by those of its superclasses, and the first row decides") {
            val table = ExceptionTable(listOf(unsent, reset, transient))

            table.classifyFailure(ConnectException("reset")) shouldBe
                Verdict.Retry(FailureKind.TRANSIENT, "ConnectException", unsent = true)
            table.classifyFailure(IOException("connection reset")) shouldBe Verdict.Reject
            table.classifyFailure(FileNotFoundException()) shouldBe Verdict.Retry(FailureKind.TRANSIENT, "IOException")
            table.classifyFailure(IllegalStateException()) shouldBe null
        }

        test("a nested class has the name that it has for the JVM, and the one that it has in an import") {
            for (name in listOf("$PACKAGE.ExceptionTableTest\$Nested", "$PACKAGE.ExceptionTableTest.Nested")) {
                ExceptionRule(null, types = setOf(name)).verdict(Nested()) shouldBe Verdict.Reject
            }
        }

        test("causes are looked at as deep as the table says, nearest first") {
            val deep = RuntimeException(RuntimeException(IOException()))

            ExceptionTable(listOf(transient), depth = 2).classifyFailure(deep) shouldBe null
            (ExceptionTable(listOf(transient)).classifyFailure(deep) != null) shouldBe true
        }

        test("a table stays as it was made, whatever becomes of the list of its rows") {
            val rows = mutableListOf(ExceptionRule(FailureKind.TRANSIENT, types = setOf("java.io.IOException")))
            val table = ExceptionTable(rows)
            val responses = mutableListOf(ErrorRule(FailureKind.TRANSIENT, Statuses.of(404)))
            val errors = ErrorTable(responses)
            val texts = listOf("$table", "$errors")
            rows.clear()
            responses.clear()
            listOf("$table", "$errors") shouldBe texts
        }

        test("a rule names a class, a table looks at something") {
            shouldThrow<IllegalArgumentException> { ExceptionRule(null, emptySet()) }
            shouldThrow<IllegalArgumentException> { ExceptionTable(listOf(transient), depth = 0) }
        }
    }) {
    class Nested : RuntimeException()
}

private const val PACKAGE = "dev.reprise.core"
