package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import kotlin.io.path.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readText

/** Native images have only those resources that the metadata in the jar names. No native image is built here. */
class NativeImageTest :
    FunSpec({
        val root = Path("src/main/resources")

        test("the metadata names both scripts, and so does that for older GraalVMs") {
            val scripts = root.resolve("dev/reprise/redis").listDirectoryEntries().map { it.name }
            scripts shouldContainExactlyInAnyOrder listOf("quota.lua", "rate.lua")
            val folder = root.resolve("META-INF/native-image/dev.reprise/retry-redis")
            for (file in listOf("reachability-metadata.json", "resource-config.json")) {
                val metadata = folder.resolve(file).readText()
                scripts.filterNot { "dev/reprise/redis/$it" in metadata } shouldBe emptyList()
            }
        }
    })
