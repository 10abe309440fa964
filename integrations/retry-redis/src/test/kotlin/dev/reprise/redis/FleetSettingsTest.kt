package dev.reprise.redis

import io.kotest.assertions.throwables.shouldNotThrowAny
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import java.util.function.Consumer
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class FleetSettingsTest :
    FunSpec({
        val silent = Consumer<FleetEvent> { }
        val changes = listOf<FleetSettingsBuilder.() -> Unit>(
            { prefix = "orders" },
            { capacity = 7 },
            { localTokens = 7 },
            { horizon = 7.seconds },
            { patience = 7.seconds },
            { lifetime = 77.seconds },
            { listener = silent },
        )

        test("settings are a value: each member counts") {
            FleetSettings { } shouldBe FleetSettings.DEFAULT
            for (change in changes) {
                val changed = FleetSettings(change)
                changed shouldNotBe FleetSettings.DEFAULT
                changed shouldBe FleetSettings(change)
                changed.hashCode() shouldBe FleetSettings(change).hashCode()
            }
            val all = FleetSettings { for (change in changes) change() }
            all.listener shouldBe silent
            all.toString() shouldBe
                "FleetSettings(prefix=orders, capacity=7, localTokens=7, horizon=7s, patience=7s, lifetime=1m 17s)"
        }

        test("each number may be what its rule says, and nothing beyond") {
            val good = listOf<FleetSettingsBuilder.() -> Unit>(
                { capacity = 1 },
                { capacity = FleetSettings.MOST_TOKENS },
                { localTokens = 0 },
                { horizon = 100.milliseconds },
                { horizon = 10.seconds },
                { patience = 1.milliseconds },
                { patience = 10.seconds },
                { lifetime = 10.seconds },
                { lifetime = 1.days },
            )
            good.forEachIndexed { index, change -> withClue(index) { shouldNotThrowAny { FleetSettings(change) } } }
            val ns = 1.nanoseconds
            val bad = mapOf<String, FleetSettingsBuilder.() -> Unit>(
                "prefix must not be blank, and have no braces: ' '" to { prefix = " " },
                "prefix must not be blank, and have no braces: 'a{b'" to { prefix = "a{b" },
                "prefix must not be blank, and have no braces: 'a}b'" to { prefix = "a}b" },
                "capacity must be from 1 to 100000000: 0" to { capacity = 0 },
                "capacity must be from 1 to 100000000: 100000001" to { capacity = FleetSettings.MOST_TOKENS + 1 },
                "localTokens must not be negative: -1" to { localTokens = -1 },
                "horizon must be from 100ms to 10s: 99.999999ms" to { horizon = 100.milliseconds - ns },
                "horizon must be from 100ms to 10s: 10.000000001s" to { horizon = 10.seconds + ns },
                "patience must be from 1ms to 10s: 999.999us" to { patience = 1.milliseconds - ns },
                "patience must be from 1ms to 10s: 10.000000001s" to { patience = 10.seconds + ns },
                "lifetime must be from 10s to 1d: 9.999999999s" to { lifetime = 10.seconds - ns },
                "lifetime must be from 10s to 1d: 1d 0h 0m 0.000000001s" to { lifetime = 1.days + ns },
            )
            for ((message, change) in bad) {
                shouldThrow<IllegalArgumentException> { FleetSettings(change) }.message shouldBe message
            }
        }

        test("a fleet's keys share one hash tag") {
            FleetSettings { prefix = "p" }.key("orders", "quota") shouldBe "p:1:{orders}:quota"
        }
    })
