package dev.reprise.micrometer

import dev.reprise.core.quota.Quota
import dev.reprise.core.rate.SendRate
import io.micrometer.core.instrument.Gauge
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tags

/* What is read when somebody looks, and costs nothing before. Micrometer holds the objects weakly. */

internal fun watchQuota(registry: MeterRegistry, tags: Tags, quota: Quota): List<Gauge> = listOf(
    Gauge.builder(Meters.QUOTA_AVAILABLE, quota) { it.available.toDouble() }
        .description("Tokens in the retry quota").baseUnit(TOKENS).tags(tags).register(registry),
    Gauge.builder(Meters.QUOTA_CAPACITY, quota) { it.capacity.toDouble() }
        .description("Tokens of a full retry quota").baseUnit(TOKENS).tags(tags).register(registry),
)

internal fun watchSendRate(registry: MeterRegistry, tags: Tags, rate: SendRate): List<Gauge> = listOf(
    Gauge.builder(Meters.SEND_RATE, rate) { it.sendRate ?: Double.NaN }
        .description(
            "Permitted attempts a second, not a number while they are not limited",
        ).tags(tags).register(registry),
    Gauge.builder(Meters.MEASURED_RATE, rate) { it.measuredRate }
        .description("Measured answers a second").tags(tags).register(registry),
)

private const val TOKENS = "tokens"
