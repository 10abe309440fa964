package dev.reprise.lab.presets

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.retryLab
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

class PresetsCommandTest :
    FunSpec({
        test("every preset has its figures in the table, and its summary") {
            val output = retryLab().test("presets").stdout
            Presets.all.forAll { preset ->
                output.lines().count { it.trimStart().startsWith("${preset.name} ") } shouldBe 2
                output shouldContain preset.summary
            }
            output.lines().filter { "  for dynamodb " in it }.forAll { it shouldContain "," }
        }

        test("the documents are read back as the presets' policies") {
            val documents = Json.parseToJsonElement(retryLab().test("presets --json").stdout).jsonArray
            documents.forAll { document ->
                val members = document.jsonObject
                val service = members.getValue("service").jsonPrimitive.contentOrNull
                val preset = members.getValue("preset").jsonPrimitive.content
                PolicyJson.read(members.getValue("policy")) shouldBe Presets.named(preset, service)
            }
            documents.map { it.jsonObject.getValue("preset").jsonPrimitive.content }.distinct() shouldContainExactly
                Presets.all.map { it.name }
        }
    })
