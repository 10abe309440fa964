package dev.reprise.samples

import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.quota.SteadyQuota
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs

/** The snippet of the page about quotas. */
class QuotaPageTest :
    FunSpec({
        test("a quota is chosen by its settings") {
            val retrier = Retrier(RetryPolicy.STANDARD_STEADY)
            val patient = retrier.with(retrier.policy.with { maxAttempts = 5 })
            val own = RetryPolicy { quota = SteadyQuotaSettings { seconds(10.0) } }
            val mesh = RetryPolicy { quota = RatioQuotaSettings.FINAGLE }
            retrier.quota.shouldBeInstanceOf<SteadyQuota>()
            patient.quota shouldBeSameInstanceAs retrier.quota
            Retrier(own).quota.shouldBeInstanceOf<SteadyQuota>()
            Retrier(mesh).policy.quota shouldBe RatioQuotaSettings.FINAGLE
        }
    })
