package dev.reprise.micrometer

import dev.reprise.core.Upstream
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import io.micrometer.core.instrument.simple.SimpleMeterRegistry

class InboundMetricsTest :
    FunSpec({
        test("requests are counted by the number of their attempt in five series, whatever their callers say") {
            checkAll(100, Arb.list(Arb.int(1..1_000), 0..30)) { numbers ->
                val registry = SimpleMeterRegistry()
                val metrics = InboundMetrics(registry)
                for (number in numbers) metrics.accept(Upstream(number))
                val counted = registry.meters.associate { meter ->
                    meter.id.getTag("attempt") to
                        registry.get(meter.id.name).tags(meter.id.tags).counter().count().toInt()
                }
                counted shouldBe (1..4).associate { "$it" to numbers.count { n -> n == it } } +
                    ("5+" to numbers.count { it >= 5 })
            }
        }
    })
