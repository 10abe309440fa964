package dev.reprise.build

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.extension
import kotlin.io.path.nameWithoutExtension
import kotlin.io.path.readText
import kotlin.io.path.walk

/** The modules that run on Android. animal-sniffer checks what their classes refer to, but in the classes that the POM exempts. */
class AndroidTest :
    FunSpec({
        val root = Path("../..")
        val modules = listOf(
            "retry-core",
            "retry-coroutines",
            "retry-java",
            "retry-ktor",
            "retry-presets",
            "integrations/retry-okhttp",
        ).map(root::resolve)

        fun sources(module: Path) = module.resolve("src/main").walk().filter {
            it.extension == "kt" ||
                it.extension == "java"
        }

        test("each of them is checked") {
            for (module in modules) module.resolve("pom.xml").readText() shouldContain "animal-sniffer-maven-plugin"
        }

        test("only the classes named in the POM are exempt") {
            val exempt = Regex(
                "<android.exempt>(.*)</android.exempt>",
            ).find(root.resolve("pom.xml").readText())!!.groupValues[1]
            modules.flatMap { sources(it) }.filter { Regex("(?m)^@JvmOnly").containsMatchIn(it.readText()) }
                .map {
                    Regex("(?m)^package ([\\w.]+)").find(it.readText())!!.groupValues[1] + "." +
                        it.nameWithoutExtension
                } shouldContainExactlyInAnyOrder
                exempt.split(" ")
        }

        test("classes that are known by name keep their names") {
            val rules = modules.map {
                it.resolve("src/main/resources/META-INF/proguard/${it.fileName}.pro")
            }.filter { it.exists() }.joinToString("\n") { it.readText() }
            val named = modules.flatMap { sources(it) }.flatMap { source ->
                Regex(
                    "\"((?:kotlinx|okhttp3|retrofit2|io\\.ktor\\.client\\.statement|io\\.reactivex|org\\.reactivestreams)\\.[a-z0-9.]*[A-Z]\\w*)\"",
                ).findAll(source.readText()).map { it.groupValues[1] }
            }.filterNot { it.endsWith("Exception") }.distinct()
            named shouldHaveAtLeastSize 5
            for (name in named) rules shouldContain " $name\n"
            rules shouldContain "class * extends java.lang.Throwable"
        }

        test("no class is loaded by name but to warn about a document") {
            for (source in modules.flatMap { sources(it) }.filterNot { it.endsWith("IdleRules.kt") }) {
                source.readText() shouldNotContain Regex("Class\\.forName|loadClass\\(|ServiceLoader")
            }
        }
    })
