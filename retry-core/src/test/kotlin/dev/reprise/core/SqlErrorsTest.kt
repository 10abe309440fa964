package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import java.io.IOException
import java.sql.BatchUpdateException
import java.sql.SQLException
import java.sql.SQLIntegrityConstraintViolationException
import java.sql.SQLNonTransientConnectionException
import java.sql.SQLRecoverableException
import java.sql.SQLSyntaxErrorException
import java.sql.SQLTimeoutException
import java.sql.SQLTransactionRollbackException
import java.sql.SQLTransientConnectionException
import java.sql.SQLTransientException

class SqlErrorsTest :
    FunSpec({
        fun verdict(failure: Throwable) = SqlErrors.classifyFailure(failure)

        fun ofState(state: String?) = verdict(SQLException("", state)) as Verdict.Retry?

        val undone = setOf("40001", "40P01", "08001", "08004", "57P03", "53300")
        val unknown = setOf("08000", "08003", "08006", "08007", "08S01", "57P01", "57P02")

        test("states decide, and only those that prove that nothing was done are taken for that") {
            for (state in undone) withClue(state) { ofState(state)!!.unsent shouldBe true }
            for (state in unknown) withClue(state) { ofState(state)!!.unsent shouldBe false }
            for (state in undone + unknown - "53300") ofState(state)!!.kind shouldBe FailureKind.TRANSIENT
            ofState("53300")!!.kind shouldBe FailureKind.THROTTLING
        }

        test("no other state is spoken of, whatever it is") {
            ofState(null) shouldBe null
            for (other in listOf("23505", "42601", "40003", "57014", "57P04", "53100", "28P01", "25P02", "")) {
                withClue(other) { ofState(other) shouldBe null }
            }
            checkAll(Arb.string(0..6)) { state ->
                val isKnown = state in undone + unknown || state.startsWith("08")
                (ofState(state) == null) shouldBe !isKnown
            }
        }

        test("without a state that says more, the type decides") {
            (verdict(SQLTimeoutException("", "57014")) as Verdict.Retry).kind shouldBe FailureKind.TIMEOUT
            for (failure in listOf(
                SQLTransientException(),
                SQLTransientConnectionException(),
                SQLTransactionRollbackException(),
                SQLRecoverableException(),
            )) {
                withClue(failure) {
                    (verdict(failure) as Verdict.Retry).run {
                        kind shouldBe FailureKind.TRANSIENT
                        unsent shouldBe false
                    }
                }
            }
            verdict(SQLSyntaxErrorException()) shouldBe null
            verdict(SQLIntegrityConstraintViolationException("", "23505")) shouldBe null
            (verdict(SQLNonTransientConnectionException("", "08001")) as Verdict.Retry).unsent shouldBe true
        }

        test(
            "DB2's driver says 08001 of a connection that broke in mid-transaction too: something may have been done",
        ) {
            val lost = SQLNonTransientConnectionException("Reply.fill()", "08001", -4499)
            verdict(lost).shouldBeInstanceOf<Verdict.Retry>().run {
                kind shouldBe FailureKind.TRANSIENT
                unsent shouldBe false
            }
        }

        test("causes and the exceptions of a batch are looked through, in circles too") {
            checkAll(Arb.int(0..8)) { depth ->
                val wrapped = (1..depth).fold<Int, Throwable>(SQLException("", "40001")) { e, _ -> RuntimeException(e) }
                (verdict(wrapped) as Verdict.Retry).unsent shouldBe true
            }
            val batch = BatchUpdateException(intArrayOf())
            batch.nextException = SQLException("", "40P01")
            (verdict(batch) as Verdict.Retry).unsent shouldBe true
            val circle = SQLException("", "42601")
            circle.initCause(IOException(circle))
            verdict(circle) shouldBe null
        }

        test("nothing else is spoken of") {
            verdict(IOException()) shouldBe null
            verdict(OutOfMemoryError()) shouldBe null
            SqlErrors.classifyResult(SQLException("", "40001")) shouldBe null
        }
    })
