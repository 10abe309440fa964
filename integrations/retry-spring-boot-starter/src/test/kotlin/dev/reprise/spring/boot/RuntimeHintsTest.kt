package dev.reprise.spring.boot

import dev.reprise.spring.Retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import org.springframework.aot.hint.RuntimeHints
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates

class RuntimeHintsTest :
    FunSpec({
        val hints = RuntimeHints().also { RepriseRuntimeHints().registerHints(it, null) }

        test("a native image can read the annotation") {
            RuntimeHintsPredicates.reflection().onMethodInvocation(Retry::class.java, "value").test(hints) shouldBe true
        }

        test("the metadata names what is bound, each with a description and a type that is there") {
            val text = javaClass.getResource("/META-INF/spring-configuration-metadata.json")!!.readText()
            val properties = Json.parseToJsonElement(text).jsonObject["properties"]!!.jsonArray.map { it.jsonObject }

            properties.map { it["name"]!!.jsonPrimitive.content }.toSet() shouldBe setOf(
                "reprise.policies",
                "reprise.clients",
                "reprise.logging",
                "reprise.take-over-retryable",
                "reprise.upstream.enabled",
                "reprise.metrics.max-operations",
                "reprise.metrics.histograms",
            )
            val types = Regex("dev\\.reprise[\\w.$]+")
            val named = types.findAll(text).map { it.value }.toSet()
            named.filter { runCatching { Class.forName(it) }.isFailure }.shouldBeEmpty()
            properties.filter { it["description"] == null }.shouldBeEmpty()
        }
    })
