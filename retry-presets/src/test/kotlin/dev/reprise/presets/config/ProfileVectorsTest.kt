package dev.reprise.presets.config

import dev.reprise.presets.sdk.rows
import dev.reprise.presets.sdk.textOrNull
import dev.reprise.presets.sdk.vectors
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The cases of smithy-rs' parser, which are those of the SDKs' shared specification. */
class ProfileVectorsTest :
    FunSpec({
        // Retry settings are not looked for in the credentials file, so what only stands there is missing.
        val ours = mapOf(
            "Profiles duplicated in multiple files are merged" to mapOf("foo" to mapOf("name" to "value")),
            "Default profiles with mixed prefixes merge with credentials" to
                mapOf("default" to mapOf("name" to "value", "name3" to "value3")),
            "Duplicate properties between files uses credentials property" to mapOf("foo" to mapOf("name" to "value")),
            "profile name with extra whitespace in credentials" to emptyMap(),
            "sso-session without the space before the name is a profile" to emptyMap(),
            // Nothing looks for such a name.
            "Invalid property names are ignored" to mapOf("foo" to mapOf("in valid" to "value")),
        )
        val cases = vectors("profiles.json").rows("cases")

        test("each difference is one of a case") {
            (ours.keys - cases.map { it.textOrNull("name") }) shouldBe emptySet()
        }

        for (case in cases) {
            val name = case.textOrNull("name")!!
            test("case: $name") {
                val read = runCatching { ProfileFile.parse(case.textOrNull("config")!!, "config") }
                if (read.isFailure) (read.exceptionOrNull() is ConfigException) shouldBe true
                val profiles = read.getOrNull()?.profiles?.mapValues {
                    it.value.mapValues { (_, found) -> found.value }
                }
                val theirs = (case["profiles"] as? JsonObject)?.mapValues { (_, properties) ->
                    properties.jsonObject.mapValues { it.value.jsonPrimitive.content }
                }
                profiles shouldBe (ours[name] ?: theirs)
            }
        }
    })
