@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.Executors

/** The snippets of the guide to hedging. */
class HedgingPageTest :
    FunSpec({
        class Api {
            fun fetch(id: Int): Int = id
        }

        test("a policy with a hedge") {
            val api = Api()
            val id = 7
            val reads = Retrier(RetryPolicy { hedge = Hedge(maxExtraLoad = 0.02) })
            val user = reads { api.fetch(id) }
            user shouldBe 7
            reads.policy.hedge shouldBe Hedge()
        }

        test("blocking calls on an executor") {
            val executor = Executors.newCachedThreadPool()
            try {
                JavaHedging.reads(executor).call<Int, Exception> { 7 } shouldBe 7
            } finally {
                executor.shutdown()
            }
        }
    })
