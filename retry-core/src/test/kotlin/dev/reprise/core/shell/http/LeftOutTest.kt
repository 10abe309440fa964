package dev.reprise.core.shell.http

import dev.reprise.build.logged
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.text.WarningLog
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.of
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.seconds

private fun retrying(statuses: Set<Int>): Classifier = Classifier.firstOf(
    SelfClassifier,
    ErrorTable(
        ErrorTable.STANDARD.rules +
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(*statuses.toIntArray(), 599)),
    ),
    TransportErrors,
)

class LeftOutTest :
    FunSpec({
        test("each thing of HTTP that a policy leaves out is told, and nothing else") {
            checkAll(
                Arb.list(Arb.of(408, 425, 520, 529, 418), 0..8).map {
                    it.toSet()
                },
                Arb.boolean(),
            ) { statuses, isHeaderFollowed ->
                val policy = RetryPolicy {
                    classifier = retrying(statuses)
                    if (isHeaderFollowed) honourRetryAfter(5.seconds)
                }
                val missing = listOfNotNull(
                    "Retry-After".takeIf { !isHeaderFollowed },
                    "408".takeIf { 408 !in statuses },
                    "425".takeIf { 425 !in statuses },
                    "520".takeIf { 520 !in statuses },
                    "529".takeIf { 529 !in statuses },
                )

                val told = LeftOut.of(policy)

                if (missing.isEmpty()) {
                    told.shouldBeNull()
                } else {
                    told.shouldNotBeNull() shouldContain " leaves out ${missing.joinToString()}, which"
                    told.contains("honourRetryAfter") shouldBe !isHeaderFollowed
                }
            }
        }

        test(
            "nothing is told of the HTTP policy and its like, of one attempt, and of a policy that judges no responses",
        ) {
            val silent = listOf(
                RetryPolicy.HTTP,
                RetryPolicy.HTTP.with { maxAttempts = 9 },
                RetryPolicy.NONE,
                RetryPolicy { classifier = TransportErrors },
            )
            for (policy in silent) LeftOut.of(policy).shouldBeNull()
        }

        test("a user's own judge of responses is not asked, and nothing is said of the statuses that it may know") {
            var asked = 0
            val policy = RetryPolicy.STANDARD.with {
                onResult { result ->
                    asked++
                    if ((result as? HttpOutcome)?.status == 408) Verdict.TRANSIENT else null
                }
            }

            LeftOut.of(policy).shouldNotBeNull() shouldNotContain "408"
            asked shouldBe 0
        }

        test("an HTTP face logs it once") {
            // As no other test has it: a warning is logged once in a process.
            val records = logged(WarningLog.LOGGER) {
                for (attempts in 2..4) {
                    val policy = RetryPolicy {
                        classifier = retrying(setOf(408, 520, 529))
                        maxAttempts = attempts
                        honourRetryAfter(5.seconds)
                    }
                    retriersOf(errorBodyBytes = 0).of(policy).policy.maxAttempts shouldBe attempts
                }
            }
            records.filter { "leaves out 425, which" in it.message } shouldHaveSize 1
        }
    })
