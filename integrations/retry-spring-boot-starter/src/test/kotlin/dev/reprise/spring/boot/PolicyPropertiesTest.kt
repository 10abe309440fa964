package dev.reprise.spring.boot

import dev.reprise.build.logged
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerHints
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.spring.boot.internal.PolicyMembers
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
import io.kotest.property.arbitrary.int
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
import org.springframework.boot.env.YamlPropertySourceLoader
import org.springframework.core.env.MapPropertySource
import org.springframework.core.env.PropertySource
import org.springframework.core.env.StandardEnvironment
import org.springframework.core.env.SystemEnvironmentPropertySource
import org.springframework.core.io.ByteArrayResource
import java.util.UUID

private fun environment(vararg properties: Pair<String, Any>) = StandardEnvironment().apply {
    propertySources.addFirst(MapPropertySource("test", properties.toMap()))
    ConfigurationPropertySources.attach(this)
}

/** The policy `p` of [sources] below `reprise.policies`, the highest precedence first. */
private fun merged(vararg sources: PropertySource<*>): RetryPolicy {
    val environment = StandardEnvironment()
    sources.forEach { environment.propertySources.addLast(it) }
    ConfigurationPropertySources.attach(environment)
    return PolicyProperties.read(environment).getValue("p")
}

private fun file(vararg properties: Pair<String, Any>) =
    MapPropertySource("file ${UUID.randomUUID()}", properties.associate { "reprise.policies.${it.first}" to it.second })

private fun variables(vararg variables: Pair<String, Any>) = SystemEnvironmentPropertySource(
    "variables-systemEnvironment",
    variables.associate { "REPRISE_POLICIES_${it.first}" to it.second },
)

private object Nested {
    class Stale : RuntimeException()
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

/** The property of [path] as a variable of the environment, which has capitals and no other letters. */
private fun variable(path: String) = path.replace("]", "").replace('[', '_').replace('.', '_').uppercase()

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

/** Members, and ways to set each. */
private val MEMBERS: Map<String, List<List<Pair<String, Any>>>> = mapOf(
    "retry-on" to lists(
        "p.retry-on",
        "java.io.IOException",
        "java.sql.SQLException",
        "java.lang.IllegalStateException",
    ),
    "attempt-timeout" to lists("p.attempt-timeout", "1s", "2s", "4s"),
    "backoff.cap" to listOf("1s", "2s", "3s").map { listOf("p.backoff.cap" to it) },
    "backoff.base" to listOf("10ms", "20ms", "30ms").map { listOf("p.backoff.base" to it) },
    "max-attempts" to listOf("2", "3", "4").map { listOf("p.max-attempts" to it) },
)

/** The list of all [items], the last two by another spelling, and the last as a single value. */
private fun lists(path: String, vararg items: String): List<List<Pair<String, Any>>> = listOf(
    items.mapIndexed { i, item -> "$path[$i]" to item },
    items.drop(1).mapIndexed { i, item ->
        path.replace(Regex("-(.)")) { it.groupValues[1].uppercase() } + "[$i]" to item
    },
    listOf(path to items.last()),
)

class PolicyPropertiesTest :
    FunSpec({
        test("the words of a YAML file need no quotation marks, also those that YAML takes for booleans") {
            val file = """
                reprise.policies.p:
                  preset: adaptive-2.1
                  max-attempts: unlimited
                  send-rate: {growth: steady, hints: off}
                  on-no-permit: fail
                  deadline: 10s
                  quota: none
                  backoff: {type: fixed, delay: 50ms, jitter: none}
                  on-bad-result: throw
                  trace: no
                  honour-should-retry: on
            """.trimIndent()
            val sources = YamlPropertySourceLoader().load("file", ByteArrayResource(file.toByteArray()))
            val policy = merged(*sources.toTypedArray())
            policy.sendRate!!.hints shouldBe ServerHints.OFF
            policy.trace shouldBe false
            policy.quota shouldBe null
        }

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
                val document = PolicyJson.toElement(preset.policy().with { hedge = Hedge(maxExtraLoad = 0.1) })
                // Properties have no null: where there is one, the document says none.
                val nulls = document.filterValues { it is JsonNull }.keys.filter { it == "quota" || it == "sendRate" }
                fun properties(spell: (String) -> String) = flat("p", document, spell) +
                    nulls.map { "p.${spell(it)}" to "none" }

                withClue(preset.name) {
                    for (spell in listOf<(String) -> String>({ it }, ::kebab)) {
                        merged(file(*properties(spell).toTypedArray())) shouldBe PolicyJson.read(document)
                    }
                    val variables = properties { it }.map { (path, value) -> variable(path) to value }
                    merged(variables(*variables.toTypedArray())) shouldBe PolicyJson.read(document)
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

        test("a member is that of the highest source that has it: lists are replaced whole, objects merged") {
            val sources = Arb.list(Arb.list(Arb.bind(Arb.element(MEMBERS.keys), Arb.int(0..2), ::Pair), 0..4), 1..4)
            checkAll(500, sources) { chosen ->
                val files = chosen.map { it.toMap().mapValues { (member, i) -> MEMBERS.getValue(member)[i] } }
                val winners = files.foldRight(emptyMap<String, List<Pair<String, Any>>>()) { file, lower ->
                    lower + file
                }

                val read = merged(
                    file("p.preset" to "http"),
                    *files.map {
                        file(*it.values.flatten().toTypedArray())
                    }.toTypedArray(),
                )

                read shouldBe merged(file("p.preset" to "http", *winners.values.flatten().toTypedArray()))
            }
        }

        test("a variable replaces a list or an object of a file, also one with dashes in its name") {
            val file = file(
                "p.preset" to "adaptive-2.1",
                "p.retry-on[0]" to "java.io.IOException",
                "p.retry-on[1]" to "java.sql.SQLException",
                "p.attempt-timeout[0]" to "1s",
                "p.attempt-timeout[1]" to "2s",
                "p.send-rate.beta" to "0.5",
            )
            val variables = arrayOf<Pair<String, Any>>(
                "P_RETRYON" to "java.lang.IllegalStateException",
                "P_ATTEMPTTIMEOUT" to "5s",
                "P_SENDRATE" to "none",
            )

            merged(variables(*variables), file) shouldBe merged(
                file(
                    "p.preset" to "adaptive-2.1",
                    "p.retryOn" to "java.lang.IllegalStateException",
                    "p.attemptTimeout" to "5s",
                    "p.sendRate" to "none",
                ),
            )
        }

        test("an empty list replaces a list") {
            val file = file("p.preset" to "http", "p.server-delays[0].header" to "x-wait")

            merged(variables("P_SERVERDELAYS" to ""), file) shouldBe
                merged(file("p.preset" to "http", "p.serverDelays" to ""))
            val rules = file(
                "p.preset" to "http",
                "p.retry-on" to "java.io.IOException",
                "p.reject-on[0]" to "java.lang.Exception",
            )
            merged(variables("P_RETRYON" to "", "P_REJECTON" to ""), rules) shouldBe merged(file("p.preset" to "http"))
        }

        test(
            "an object of another type replaces the one of a lower source whole, one of the same type is mixed with it",
        ) {
            val file = file("p.backoff.type" to "exponential", "p.backoff.base" to "100ms", "p.backoff.cap" to "5s")
            merged(variables("P_BACKOFF_TYPE" to "fixed", "P_BACKOFF_DELAY" to "1s"), file) shouldBe
                merged(file("p.backoff.type" to "fixed", "p.backoff.delay" to "1s"))
            merged(variables("P_BACKOFF_TYPE" to "exponential", "P_BACKOFF_BASE" to "1s"), file) shouldBe
                merged(file("p.backoff.type" to "exponential", "p.backoff.base" to "1s", "p.backoff.cap" to "5s"))
        }

        test("an empty entry of a lower source, as an empty object of YAML is, overrides nothing and is no mistake") {
            merged(variables("P_MAXATTEMPTS" to "7"), file("p" to "")) shouldBe merged(file("p.max-attempts" to "7"))
        }

        test("a variable reaches a policy whose name has dashes or capitals, and no other name") {
            for (name in listOf("my-orders", "myOrders")) {
                val environment = environment(
                    "reprise.policies.$name.preset" to "http",
                    "reprise.policies.[My.orders].preset" to "http",
                )
                environment.propertySources.addFirst(variables("MYORDERS_MAXATTEMPTS" to "7"))

                val policies = PolicyProperties.read(environment)

                policies.getValue(name) shouldBe RetryPolicy.HTTP.with { maxAttempts = 7 }
                policies.getValue("My.orders") shouldBe RetryPolicy.HTTP
            }
        }

        test("a variable of a policy that a file has makes no policy of its own, one that no file has makes one") {
            for (name in listOf("my-orders", "myOrders", "myorders")) {
                val environment = environment("reprise.policies.$name.preset" to "http")
                environment.propertySources.addLast(
                    variables("MYORDERS_MAXATTEMPTS" to "7", "MYORDERS_PRESET" to "none", "OTHER_PRESET" to "none"),
                )

                val policies = PolicyProperties.read(environment)

                policies.keys shouldBe setOf(name, "other")
                policies.getValue(name) shouldBe RetryPolicy.HTTP.with { maxAttempts = 7 }
            }
        }

        test(
            "two names of one file that differ only in dashes and capitals are refused, in two files they are one policy",
        ) {
            for ((one, other) in mapOf("team-a" to "teama", "s3" to "S3", "my-orders" to "myOrders")) {
                val properties = listOf(one, other).map { "reprise.policies.$it.preset" to "http" }
                val wrong = shouldThrow<PolicyPropertyException> { read(*properties.toTypedArray()) }
                setOf(wrong.property, "reprise.policies.${wrong.rule.split(' ')[3]}") shouldBe
                    properties.map { it.first.removeSuffix(".preset") }.toSet()

                val environment = environment("reprise.policies.$one.preset" to "http")
                environment.propertySources.addFirst(file("$other.max-attempts" to "5"))

                val policy = RetryPolicy.HTTP.with { maxAttempts = 5 }
                PolicyProperties.read(environment) shouldBe mapOf(one to policy, other to policy)
            }
        }

        test("placeholders are resolved, and a source that cannot list its names overrides those below it") {
            val unlisted = object : PropertySource<Any>("unlisted", Any()) {
                override fun getProperty(name: String): Any? = "7".takeIf { name == "reprise.policies.p.max-attempts" }
            }
            val file = file("p.max-attempts" to "\${more:5}")

            merged(file).maxAttempts shouldBe 5
            merged(unlisted, file).maxAttempts shouldBe 7
            merged(file, unlisted).maxAttempts shouldBe 5
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
                .message shouldContain "did you mean \"max-attempts\"?"
        }

        test("a classifier's words are a list, or one text with commas, as other lists of texts") {
            read("reprise.policies.p.preset" to "http", "reprise.policies.p.classifier" to "sql, transport") shouldBe
                read(
                    "reprise.policies.p.preset" to "http",
                    "reprise.policies.p.classifier[0]" to "sql",
                    "reprise.policies.p.classifier[1]" to "transport",
                )
            val wrong =
                shouldThrow<PolicyPropertyException> { read("reprise.policies.p.classifier" to "sqll,transport") }
            wrong.message shouldStartWith "reprise.policies.p.classifier: did you mean"
        }

        test("a rule of an object is told once, with the member's name and value and nothing after it") {
            shouldThrow<PolicyPropertyException> {
                read("reprise.policies.p.preset" to "http", "reprise.policies.p.quota.capacity" to "-1")
            }.message shouldBe "reprise.policies.p.quota: quota.capacity must be at least 1: -1"
        }

        test("a message has the policy's name as it is written, in brackets if it has a dot") {
            fun property(name: String) = shouldThrow<PolicyPropertyException> {
                PolicyProperties.read(environment("reprise.policies.$name.max-atempts" to "4"))
            }.property
            for (name in listOf("orders", "myOrders", "my-orders", "[Orders.find]")) {
                property(name) shouldBe "reprise.policies.$name.max-atempts"
            }
        }

        test("a class that is not there is told as a warning, by the property's name") {
            val records = logged("dev.reprise") {
                read("reprise.policies.p.retry-on" to "java.io.IOException, com.acme.Nope")
                read("reprise.policies.p.reject-on[0]" to "java.io.IOException")
            }
            val lines = records.map { "${it.level} ${it.message}" }
            lines shouldBe listOf("WARNING reprise.policies.p.retryOn: no such class on this class path: com.acme.Nope")
        }

        test(
            "a class that is no exception is told too, since its rule never applies; a nested one may be written with a dot",
        ) {
            val records = logged("dev.reprise") {
                read("reprise.policies.p.retry-on" to "dev.reprise.spring.boot.Nested.Stale, java.lang.AutoCloseable")
                read("reprise.policies.p.reject-on" to Nested.Stale::class.java.name)
            }
            records.map { it.message } shouldBe listOf(
                "reprise.policies.p.retryOn: no exception: java.lang.AutoCloseable",
            )
        }

        test("completion knows each member of a document") {
            val rule = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.zzz" to "1") }.rule
            val members = PolicyMembers::class.java.declaredMethods.map { it.name }.filter { it.startsWith("get") }
                .map { it.removePrefix("get").replace(Regex("(?<!^)[A-Z]"), "-$0").lowercase() }
            members.sorted() shouldBe rule.substringAfter("must be one of ").split(", ").sorted()
        }

        test("the analyzer shows the property as Boot shows others") {
            val wrong = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.max-attempts" to "0") }

            val analysis = PolicyPropertyFailureAnalyzer().analyze(IllegalStateException(wrong))!!
            analysis.description shouldBe
                "A property is wrong: reprise.policies.p.max-attempts: must be at least 1: \"0\""
            val unknown = shouldThrow<PolicyPropertyException> { read("reprise.policies.p.presett" to "http") }
            unknown.message shouldEndWith ", trace"
            PolicyPropertyFailureAnalyzer().analyze(IllegalStateException(unknown))!!.description shouldEndWith
                ", trace"
        }
    })
