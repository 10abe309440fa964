package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.EOFException
import java.io.FileNotFoundException
import java.io.IOError
import java.io.IOException

private val steps: List<RetryPolicyBuilder.() -> RetryPolicyBuilder> =
    listOf(
        { retryOn<IOException>() },
        { retryOn<Exception>(FailureKind.THROTTLING) },
        { onFailure { Verdict.TRANSIENT } },
        { onResult { null } },
        { classifyFirst(Classifier.onCause(IOException::class.java)) },
        { rejectOn<EOFException>() },
    )

/** `retryOn` and `rejectOn`: what they promise, whatever stands around them. */
class ExceptionRulesTest :
    FunSpec({
        fun RetryPolicy.verdictOn(failure: Throwable) = classifier.classifyFailure(failure)

        test("what is rejected is never retried, whatever is said before and after it") {
            val any = Arb.list(Arb.element(steps), 0..4)
            checkAll(500, any, any) { before, after ->
                val policy = RetryPolicy {
                    for (step in before) step()
                    rejectOn(FileNotFoundException::class.java)
                    for (step in after) step()
                }
                policy.verdictOn(FileNotFoundException()) shouldBe Verdict.Reject
                val changed = policy.with { retryOn(FileNotFoundException::class.java) }
                changed.verdictOn(FileNotFoundException()) shouldBe Verdict.Reject
            }
        }

        test("rules about exceptions are data: equal, hashed and printable") {
            val make = {
                RetryPolicy {
                    retryOn<IllegalStateException>(FailureKind.THROTTLING)
                    rejectOn<FileNotFoundException>()
                    rejectOn<EOFException>()
                }
            }
            make() shouldBe make()
            make().hashCode() shouldBe make().hashCode()
            make().toString() shouldNotContain "@"
            make() shouldNotBe make().with { rejectOn<IOException>() }
            make() shouldNotBe make().with { retryOn<IOException>() }
        }

        test("an error is never retried for what caused it, nor by a rule for everything") {
            val caused = IOException("connection reset")
            val errors = listOf(AssertionError("late", caused), ExceptionInInitializerError(caused), IOError(caused))
            val policies = listOf(
                RetryPolicy.STANDARD,
                RetryPolicy { retryOn<Throwable>() },
                RetryPolicy { classifyFirst(Classifier.onCause(IOException::class.java)) },
            )
            for (error in errors) {
                for (policy in policies) {
                    withClue("$error under $policy") {
                        (policy.verdictOn(error) is Verdict.Retry) shouldBe false
                        (
                            policy.verdictOn(RuntimeException(error)) is Verdict.Retry &&
                                policy.verdictOn(RuntimeException()) == null
                            ) shouldBe false
                    }
                }
                RetryPolicy { retryOn<Error>() }.verdictOn(error).shouldBeInstanceOf<Verdict.Retry>()
            }
        }

        test("an exception that is accepted ends the call as a success, and is thrown as it is") {
            val expected = IOException("already exists")
            val shell = Shell(RetryPolicy { onFailure { Verdict.Accept } })
            shell.quota!!.tryTake(20, null)
            val outcome = shell.outcome({ throw expected }).shouldBeInstanceOf<RetryOutcome.Failure>()
            outcome.failure shouldBe expected
            outcome.reason shouldBe StopReason.SUCCESS
            expected.suppressed.size shouldBe 0
            shell.quota.available shouldBe 481
        }
    })
