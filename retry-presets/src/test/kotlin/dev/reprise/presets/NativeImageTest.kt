package dev.reprise.presets

import dev.reprise.presets.botocore.RetryModel
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlin.io.path.Path
import kotlin.io.path.isRegularFile
import kotlin.io.path.walk

/** Native images have only those resources that the metadata in the jar names. No native image is built here. */
class NativeImageTest :
    FunSpec({
        val folder = "META-INF/native-image/dev.reprise/retry-presets"

        fun metadata(name: String): JsonObject {
            val stream = RetryModel::class.java.classLoader.getResourceAsStream("$folder/$name").shouldNotBeNull()
            return Json.parseToJsonElement(stream.use { it.readBytes().decodeToString() }).jsonObject
        }

        val resources = Path("src/main/resources").let { root ->
            root.walk().filter { it.isRegularFile() }.map { root.relativize(it).toString().replace('\\', '/') }.toList()
        }.filterNot { it.startsWith("META-INF/") }

        test("the metadata names every resource of the core") {
            val globs = metadata("reachability-metadata.json").getValue("resources").jsonArray
                .map { it.jsonObject.getValue("glob").jsonPrimitive.content }
            globs shouldContainExactly resources
        }

        test("so does the metadata for older GraalVMs") {
            val resourceConfig = metadata("resource-config.json").getValue("resources").jsonObject
            val patterns = resourceConfig.getValue("includes").jsonArray
                .map { Regex(it.jsonObject.getValue("pattern").jsonPrimitive.content) }
            resources.filterNot { resource -> patterns.any { it.matches(resource) } } shouldBe emptyList()
        }
    })
