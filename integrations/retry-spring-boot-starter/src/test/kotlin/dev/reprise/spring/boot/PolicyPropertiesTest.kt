package dev.reprise.spring.boot

import dev.reprise.build.logged
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.hedge.Hedge
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.constant
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.springframework.boot.context.properties.source.ConfigurationPropertySources
import org.springframework.core.env.MapPropertySource
import org.springframework.core.env.StandardEnvironment
import org.springframework.core.env.SystemEnvironmentPropertySource

private fun environment(vararg properties: Pair<String, Any>) = StandardEnvironment().apply {
    propertySources.addFirst(MapPropertySource("test", properties.toMap()))
    ConfigurationPropertySources.attach(this)
}

private fun read(vararg properties: Pair<String, Any>) = PolicyProperties.read(environment(*properties)).getValue("p")

/** [element] as properties below [path], with names as [spell] writes them. */
private fun flat(path: String, element: JsonElement, spell: (String) -> String): List<Pair<String, Any>> =
    when (element) {
        is JsonObject -> element.flatMap { (name, member) -> flat("$path.${spell(name)}", member, spell) }

        is JsonArray -> element.flatMapIndexed { i, item -> flat("$path[$i]", item, spell) }
            .ifEmpty { listOf(path to "") }

        is JsonNull -> emptyList()

        is JsonPrimitive -> listOf(path to element.content)
    }

private fun kebab(name: String) = name.replace(Regex("[A-Z]")) { "-" + it.value.lowercase() }

private val NAMES = Arb.element(
    "max-attempts", "maxAttempts", "MAX_ATTEMPTS", "backoff", "backoff.cap", "backoff.type", "quota", "quota.capacity",
    "preset", "service", "classifier", "classifier[0]", "classifier[0].table", "server-delays[0].header", "deadline",
    "attempt-timeout", "attempt-timeout[1]", "retry-on", "trace", "send-rate.beta", "x", "a-b.c[7].d",
)

private val VALUES: Arb<Any> = Arb.choice(
    Arb.string(0..8).map { it },
    Arb.element("", "none", "unlimited", "-1", "0", "1e99", "NaN", "true", "5s", "-5s", "fixed", "http", "\u0000"),
    Arb.constant(7),
    Arb.constant(true),
)

class PolicyPropertiesTest :
    FunSpec({
        test("any properties give policies, or an exception that names the property") {
            val properties = Arb.bind(NAMES, VALUES) { name, value -> "reprise.policies.p.$name" to value }
            checkAll(2_000, Arb.list(properties, 0..6)) {
                val end = runCatching { PolicyProperties.read(environment(*it.toTypedArray())) }

                end.exceptionOrNull()?.let { thrown ->
                    withClue(thrown.stackTraceToString()) {
                        (thrown as PolicyPropertyException).property shouldStartWith "reprise.policies.p"
                    }
                }
            }
        }

        test("every preset, written as properties, is what its document is, however the names are written") {
            for (preset in Presets.all) {
                val document = PolicyJson.toElement(preset.policy())
                // Properties have no null: where there is one, the document says none.
                val nulls = document.filterValues { it is JsonNull }.keys.filter { it == "quota" || it == "sendRate" }
                for (spell in listOf<(String) -> String>({ it }, ::kebab)) {
                    val properties = flat("reprise.policies.p", document, spell) +
                        nulls.map { "reprise.policies.p.${spell(it)}" to "none" }
                    withClue(preset.name) { read(*properties.toTypedArray()) shouldBe PolicyJson.read(document) }
                }
            }
        }

        test("what a property is said to take away by none is taken away") {
            val hedge = Hedge(maxExtraLoad = 0.1)
            val policy = Presets.named("adaptive-2.1").with { this.hedge = hedge }
            val document = PolicyJson.toElement(policy)
            for (name in listOf("quota", "sendRate", "hedge")) {
                val properties = flat("reprise.policies.p", JsonObject(document - name), ::kebab)
                val none = "reprise.policies.p.${kebab(name)}" to "none"

                read(*properties.toTypedArray(), none) shouldBe
                    PolicyJson.read(JsonObject(document + (name to JsonNull)))
            }
        }

        test("the environment's names are read") {
            val environment = StandardEnvironment().apply {
                val variables = mapOf(
                    "REPRISE_POLICIES_P_MAXATTEMPTS" to "7",
                    "REPRISE_POLICIES_P_BACKOFF_TYPE" to "decorrelated",
                    "REPRISE_POLICIES_P_BACKOFF_BASE" to "50ms",
                )
                propertySources.addFirst(SystemEnvironmentPropertySource("systemEnvironment", variables))
                ConfigurationPropertySources.attach(this)
            }

            PolicyProperties.read(environment).getValue("p").maxAttempts shouldBe 7
        }

        test("a preset and a few properties make a policy") {
            read("reprise.policies.p.preset" to "http", "reprise.policies.p.max-attempts" to "4") shouldBe
                RetryPolicy.HTTP.with { maxAttempts = 4 }
        }

        test("a wrong value and a wrong name are told by the property's name") {
            shouldThrow<PolicyPropertyException> {
                read("reprise.policies.p.preset" to "http", "reprise.policies.p.backoff.cap" to "20")
            }.property shouldBe "reprise.policies.p.backoff.cap"
            shouldThrow<PolicyPropertyException> { read("reprise.policies.p.max-atempts" to "4") }
                .message shouldContain "did you mean \"maxAttempts\"?"
        }

        test("a class that is not there is told as a warning, by the property's name") {
            val records = logged(LoggingListener.LOGGER) {
                read("reprise.policies.p.retry-on" to "java.io.IOException, com.acme.Nope")
                read("reprise.policies.p.reject-on[0]" to "java.io.IOException")
            }
            val lines = records.map { "${it.level} ${it.message}" }
            lines shouldBe listOf("WARNING reprise.policies.p.retry-on: no such class: com.acme.Nope")
        }

        test("completion knows each member of a document") {
            val rule = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.zzz" to "1") }.rule
            val members = PolicyMembers::class.java.declaredMethods.map { it.name }.filter { it.startsWith("get") }
                .map { it.removePrefix("get").replaceFirstChar(Char::lowercase) }
            members.sorted() shouldBe rule.substringAfter("must be one of ").split(", ").sorted()
        }

        test("the analyzer shows the property as Boot shows others") {
            val wrong = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.max-attempts" to "0") }

            val analysis = PolicyPropertyFailureAnalyzer().analyze(IllegalStateException(wrong))!!
            analysis.description shouldBe
                "The property reprise.policies.p.max-attempts is wrong: must be at least 1: \"0\""
            val unknown = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.presett" to "http") }
            unknown.message shouldEndWith ", trace"
            PolicyPropertyFailureAnalyzer().analyze(IllegalStateException(unknown))!!.description shouldEndWith
                ", trace"
        }
    })
