package dev.reprise.samples

import dev.reprise.core.RetryPolicy
import dev.reprise.core.quota.RatioQuotaSettings
import dev.reprise.core.quota.SteadyQuota
import dev.reprise.core.quota.SteadyQuotaSettings
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf

/** The snippet of the page about quotas. */
class QuotaPageTest :
    FunSpec({
        test("a quota is chosen by its settings") {
            val retrier = Retrier(Presets.named("standard-steady"))
            val own = RetryPolicy { quota = SteadyQuotaSettings { seconds = 10.0 } }
            val mesh = RetryPolicy { quota = RatioQuotaSettings.FINAGLE }
            retrier.quota.shouldBeInstanceOf<SteadyQuota>()
            Retrier(own).quota.shouldBeInstanceOf<SteadyQuota>()
            Retrier(mesh).policy.quota shouldBe RatioQuotaSettings.FINAGLE
        }
    })
