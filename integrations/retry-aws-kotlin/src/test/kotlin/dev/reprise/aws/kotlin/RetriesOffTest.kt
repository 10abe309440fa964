package dev.reprise.aws.kotlin

import dev.reprise.build.printedBy
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** Prints the attempts that a strategy announces to the service. */
internal object Announced {
    @JvmStatic
    fun main(args: Array<String>) = println(RepriseRetryStrategy(RetryPolicy.STANDARD).config.maxAttempts)
}

class RetriesOffTest :
    FunSpec({
        test("where the process makes no retries, a request announces one attempt") {
            printedBy(Announced::class.java) shouldBe "3"
            printedBy(Announced::class.java, "-Ddev.reprise.retries=off") shouldBe "1"
        }
    })
