package dev.reprise.samples.matrix

import dev.reprise.core.Jitter
import dev.reprise.core.NoPermit
import dev.reprise.core.QuotaCharge
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerHints
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.RateHint
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.botocore.RetryModel
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.ConfigSources
import dev.reprise.presets.config.RetryMode
import dev.reprise.presets.config.fromEnvironment
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonObject
import kotlin.time.Duration.Companion.seconds

/** What calls share, and where settings come from. As [KotlinMatrix]. */
@Suppress("unused", "UNUSED_VARIABLE", "UNUSED_EXPRESSION")
internal object KotlinMatrixShared {
    fun quotas(quota: Quota): List<Any?> {
        val bucket = TokenBucketSettings {
            capacity(500)
            cost(14)
            throttlingCost(5)
            timeoutCost(14)
            firstTryRefund(1)
            charge(QuotaCharge.FAILURES)
        }.with { }
        val steady = SteadyQuotaSettings { seconds(5.0) }.with { operations(64) }
        val ratio = RatioQuotaSettings { percent(20) }.with { perSecond(10) }
        val ratios = listOf(
            ratio.percent,
            ratio.perSecond,
            ratio.windowSeconds,
            RatioQuotaSettings.FINAGLE,
        )
        val settings: QuotaSettings = bucket
        val costs = listOf(
            settings.capacity,
            settings.cost,
            settings.throttlingCost,
            settings.timeoutCost,
            settings.firstTryRefund,
            settings.charge,
        )
        val steadies = listOf(
            steady.reserveRefund,
            steady.leastCapacity,
            steady.seconds,
            steady.operationShare,
            steady.operations,
        )
        val own = RetryQuota(100, 50)
        own.tryTake(5)
        own.refund(5)
        quota.tryTake(5, "users.get")
        quota.giveBack(5, "users.get")
        quota.succeeded(1, null)
        val opened = SteadyQuotaSettings.DEFAULT.newQuota({ 0 })
        return listOf(
            quota.capacity,
            quota.available,
            opened.available("users.get"),
            RetryQuota(),
            RetryQuota(5),
            costs,
            steadies,
            ratios,
        )
    }

    fun rates(rate: SendRate): List<Any?> {
        val settings = SendRateSettings.STEADY.with {
            beta(0.9)
            scale(0.012)
            minFillRate(0.1)
            minCapacity(1.0)
            hints(ServerHints.FOLLOW)
        }.with { quietSeconds(60.0) }.toBuilder().build()
        rate.tryTake(0)
        rate.putBack()
        rate.record(true, 0, 0)
        rate.record(RateOutcome.ACCEPTED, 0, 0)
        rate.hint(RateHint.of(5, 10), 0)
        rate.update(settings)
        val hint = RateHint.of(remaining = 1, seconds = 2)
        val constants = listOf(
            settings.quietSeconds,
            settings.hints,
        )
        val all = listOf(
            settings.beta,
            settings.scale,
            settings.minFillRate,
            settings.minCapacity,
            SendRateSettings { } == SendRateSettings.EXACT,
        )
        return listOf(
            rate.isOn,
            rate.isHeld,
            rate.sendRate,
            rate.measuredRate,
            rate.settings,
            hint.remaining,
            hint.seconds,
            hint.perSecond,
            constants,
            all,
        ) +
            listOf(NoPermit.Wait, NoPermit.Fail)
    }

    fun documents(): List<Any?> = try {
        val policy = PolicyJson.read("""{"preset": "standard-2.1"}""")
        val model = RetryModel.builtIn
        val again: JsonObject = PolicyJson.toElement(policy)
        listOf(
            PolicyJson.write(policy),
            PolicyJson.read(again),
            model.services,
            model.resolve("s3", "PutObject"),
            RetryModel::read,
        )
    } catch (e: PolicyFormatException) {
        listOf(e.path, e.rule, e.value)
    }

    fun configuration(sources: ConfigSources): List<Any?> = try {
        val config = AwsRetryConfig.resolve("dynamodb", ConfigOverrides { retryMode(RetryMode.ADAPTIVE) }, sources)
        val overrides = ConfigOverrides.NONE.with {
            maxAttempts(3)
            profile("a")
            configFile("~/b")
            sdkSwitch(true)
        }
        val settings = listOf(
            config.retryMode,
            config.maxAttempts,
            config.generation,
            config.profile,
            config.configFile,
        )
        settings.map { it.value to it.source } +
            listOf(
                config.service,
                config.preset,
                config.policy(),
                config.toJson(),
                RetryPolicy.fromEnvironment(),
                RetryMode.ADAPTIVE,
            ) +
            listOf(
                overrides.retryMode,
                overrides.maxAttempts,
                overrides.profile,
                overrides.configFile,
                overrides.sdkSwitch,
            ) +
            listOf(
                sources.property("a"),
                sources.environment("A"),
                sources.home(),
                sources.file("a"),
                ConfigSources.system(),
            )
    } catch (e: ConfigException) {
        listOf(e.source, e.rule, e.value)
    }

    fun presets(): List<Any?> {
        val preset = Presets.find("none") ?: Presets.all.first()
        return listOf(
            Presets.named("standard-2.1"),
            preset.name,
            preset.summary,
            preset.services,
            preset.policy(),
            Jitter.FULL,
        )
    }
}
