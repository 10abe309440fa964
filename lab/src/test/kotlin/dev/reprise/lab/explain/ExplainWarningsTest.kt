package dev.reprise.lab.explain

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class ExplainWarningsTest :
    FunSpec({
        fun explain(policy: String) = retryLab().test(listOf("explain", policy)).stdout

        test("a policy that is probably a mistake is warned about, and no preset is") {
            explain("""{"attemptTimeout": "5s", "deadline": "2s"}""") shouldContain
                "Warning: the attempt timeout of 5s is above the deadline of 2s, which comes first."
            explain("any-exception") shouldNotContain "Warning"
        }

        test("the policy for every exception shows the mistakes that it does not retry") {
            explain("any-exception") shouldContain "java.lang.NullPointerException"
        }
    })
