package dev.reprise.aws.java

import dev.reprise.build.logged
import dev.reprise.build.printedBy
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** Prints the attempts that a strategy announces to the service. */
internal object Announced {
    @JvmStatic
    fun main(args: Array<String>) = println(RepriseRetryStrategy.standard().maxAttempts())
}

class RetriesOffTest :
    FunSpec({
        test("a hedge, which sends no copy here, is told once") {
            val strategy = RepriseRetryStrategy.of(RetryPolicy { hedge = Hedge() })
            val told = logged("dev.reprise") { repeat(2) { strategy.begin() } }
            told.map { it.message } shouldBe listOf("a policy has a hedge, and an AWS client sends no copies")
        }

        test("where the process makes no retries, a request announces one attempt") {
            printedBy(Announced::class.java) shouldBe "3"
            printedBy(Announced::class.java, "-Ddev.reprise.retries=off") shouldBe "1"
        }
    })
