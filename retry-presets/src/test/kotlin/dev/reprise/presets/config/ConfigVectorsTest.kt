package dev.reprise.presets.config

import dev.reprise.presets.sdk.rows
import dev.reprise.presets.sdk.textOrNull
import dev.reprise.presets.sdk.vectors
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The recorded cases, with what the specification recommends where the two SDKs differ. */
class ConfigVectorsTest :
    FunSpec({
        val recommended: Map<String, Pair<RetryMode, Int>?> = mapOf(
            // The AWS SDK for Java v2 has legacy mode for a default.
            "nothing set" to (RetryMode.STANDARD to 3),
            "system property beats env and profile" to (RetryMode.LEGACY to 2),
            "mixed sources per setting" to (RetryMode.ADAPTIVE to 5),
            "case-insensitive mode" to (RetryMode.STANDARD to 3),
            "surrounding whitespace in env mode" to (RetryMode.STANDARD to 3),
            "empty env mode" to (RetryMode.ADAPTIVE to 7),
            "empty env max attempts" to (RetryMode.ADAPTIVE to 7),
            "max attempts zero" to null,
            "max attempts negative" to null,
            "max attempts not a number" to null,
            "max attempts one" to (RetryMode.STANDARD to 1),
            "max attempts fraction" to null,
            "AWS_PROFILE selects [profile x]" to (RetryMode.STANDARD to 9),
            "[profile default] wins over [default]" to (RetryMode.STANDARD to 6),
            "duplicate property: last wins" to (RetryMode.STANDARD to 6),
            "quoted profile name" to (RetryMode.STANDARD to 9),
            "flag on" to (RetryMode.STANDARD to 3),
            "flag invalid" to (RetryMode.STANDARD to 3),
            "[profile default] wins over [default] (mode)" to (RetryMode.ADAPTIVE to 3),
            "empty AWS_PROFILE" to (RetryMode.STANDARD to 3),
            "upper-case key" to (RetryMode.STANDARD to 3),
        )
        val cases = vectors("config.json").rows("cases")

        test("every recorded case is looked at") {
            cases.map { it.textOrNull("name") } shouldContainExactlyInAnyOrder recommended.keys
        }

        for (case in cases) {
            val name = case.textOrNull("name")
            test("case: $name") {
                fun texts(member: String) =
                    case.getValue(member).jsonObject.mapValues { it.value.jsonPrimitive.content }

                val files = case.textOrNull("config_file")?.let { mapOf(FakeSources.CONFIG to it) }.orEmpty()
                val sources = FakeSources(texts("system_properties"), texts("environment"), files)

                fun resolve() = AwsRetryConfig.resolve(
                    overrides = ConfigOverrides { sdkSwitch = true },
                    sources = sources,
                )

                val expected = recommended.getValue(name!!)
                if (expected == null) {
                    shouldThrow<ConfigException> { resolve() }
                } else {
                    val config = resolve()
                    (config.retryMode.value to config.maxAttempts.value) shouldBe expected
                }
            }
        }
    })
