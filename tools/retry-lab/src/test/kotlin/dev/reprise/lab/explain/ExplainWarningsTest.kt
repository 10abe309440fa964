package dev.reprise.lab.explain

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class ExplainWarningsTest :
    FunSpec({
        fun explain(policy: String) = retryLab().test(listOf("explain", policy)).stdout

        test("what a policy hardly means is said, and of a preset nothing is") {
            explain("""{"attemptTimeout": "5s", "deadline": "2s"}""") shouldContain
                "Hardly meant: the attempt timeout of 5s is above the deadline of 2s, which comes first."
            explain("any-exception") shouldNotContain "Hardly meant"
        }

        test("the policy for every exception shows the mistakes that it does not retry") {
            explain("any-exception") shouldContain "java.lang.NullPointerException"
        }
    })
