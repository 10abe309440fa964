package dev.reprise.lab.scenario

import com.github.ajalt.clikt.testing.test
import com.networknt.schema.InputFormat
import com.networknt.schema.SchemaRegistry
import com.networknt.schema.SpecificationVersion
import dev.reprise.lab.experiment.Figure
import dev.reprise.lab.fleet.words
import dev.reprise.lab.retryLab
import dev.reprise.presets.document.PolicyFormatException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readText

private val schemaText = checkNotNull(BuiltIn::class.java.getResource("/scenarios/schema.json")).readText()
private val schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schemaText)

/** The scenarios that come with the lab. */
private val scenarios = listOf("outage", "stall", "throttle", "layers", "hedge")

private fun invalid(document: JsonElement) = schema.validate(document.toString(), InputFormat.JSON).map { it.message }

private fun read(document: JsonObject) = ScenarioFileReader(Path.of("")).read(document)

private fun wrong(document: JsonObject): String = shouldThrow<PolicyFormatException> { read(document) }.message!!

private fun changed(path: String, value: String) = BuiltIn.document("outage").with(path, YamlText.parse(value))

/** The members that a scenario and its server have, but for those whose names say it all. */
private fun schemaMembers(): Map<String, JsonObject> {
    val root = Json.parseToJsonElement(schemaText).jsonObject
    val server = root.getValue("\$defs").jsonObject.getValue("server").jsonObject
    val all = listOf(root, server).flatMap { it.getValue("properties").jsonObject.toList() }.toMap()
    return (all - setOf("name", "title", "server")).mapValues { (_, member) -> member.jsonObject }
}

class ScenarioFileTest :
    FunSpec({
        val folder = tempdir()

        fun run(vararg arguments: String): String {
            val result = retryLab().test(arguments.toList())
            withClue(result.output) { result.statusCode shouldBe 0 }
            return result.stdout
        }

        test("every scenario that comes with the lab keeps to the schema, and can be read") {
            for (name in scenarios) {
                withClue(name) {
                    invalid(BuiltIn.document(name)).shouldBeEmpty()
                    read(BuiltIn.document(name)).scenario.name shouldBe name
                }
            }
        }

        test("a character that the parser would take for another one is refused, wherever it stands") {
            for (code in listOf(0x10000, 0x10022, 0x10027, 0x1005C, 0x10020, 0xB0022, 0x10007F)) {
                val character = Character.toString(code)
                for (text in listOf("a: \"${character}b\"", "a: '${character}b'", "a: |\n  $character", character)) {
                    shouldThrow<PolicyFormatException> { YamlText.parse(text) }.message shouldBe
                        "\$: must be YAML or JSON: the character U+%X, which cannot be read".format(code)
                }
            }
            val smile = Character.toString(0x1F600)
            YamlText.parse("a: \"$smile\"") shouldBe JsonObject(mapOf("a" to JsonPrimitive(smile)))
        }

        test("a short form is the file that it prints: the same table, byte for byte") {
            for (
            command in listOf(
                "outage --clients 20 --seconds 100 --to 50 --kind stall --set attemptTimeout 1s none standard-2.1",
                "outage --clients 2 --calls 0.5 --seconds 1260.5 --to 1200 none",
                "stall --clients 20 --to 60 none",
                "throttle --clients 3 --seconds 80 --rate 50 --then 70 20 adaptive-steady",
                "hedge --calls 20 --set seconds 20s --seeds 2 http",
            )
            ) {
                val words = (listOf("simulate") + command.split(" ")).toTypedArray()
                val file = folder.resolve("printed.json").also { it.writeText(run(*words, "--print-scenario")) }
                run("simulate", "$file") shouldBe run(*words)
                run("simulate", "$file", "--json") shouldBe run(*words, "--json")
            }
        }

        test("what is wrong in a file is told with path, rule and value, and the schema refuses it too") {
            val cases = mapOf(
                ("fleet[0].clients" to "0") to "$.fleet[0].clients: must be a whole number from 1..1000000: 0",
                ("fleet[0].callers" to "2") to "$.fleet[0]: must have one of \"calls\", \"callers\" and \"trace\"",
                ("fleet[0].arrivals" to "never") to
                    "$.fleet[0].arrivals: must be one of \"random\", \"even\": \"never\"",
                ("seconds" to "100") to "$.seconds: must be a duration from 1s to 86400s, such as",
                ("size" to "0.1") to "$.size: unknown member, must be one of name",
                ("server.queue.capacity" to "-5") to "$.server.queue.capacity: must be a number above 0",
                ("server.latency" to "{from: 10ms}") to "$.server.latency: must have the member \"to\"",
                ("server.failures[0].kind" to "fire") to
                    "$.server.failures[0].kind: must be one of \"error\", \"stall\", \"freeze\"",
                ("server.failures[0].share" to "2") to "$.server.failures[0].share: must be a number from 0 to 1: 2",
                ("server.admission" to "[{type: token-bucket}]") to
                    "$.server.admission[0]: must have the member \"rate\"",
                ("server.nope" to "1") to "$.server.nope: unknown member, must be one of latency",
                ("nope" to "1") to "$.nope: unknown member, must be one of name",
            )
            for ((change, line) in cases) {
                withClue(change) {
                    val document = changed(change.first, change.second)
                    wrong(document) shouldStartWith line
                    invalid(document).shouldNotBeEmpty()
                }
            }
        }

        test("an unknown member is met with what was meant, and with the file's name") {
            val file = folder.resolve("misspelt.yaml").also { it.writeText("second: 60s\nfleet: []\nserver: {}") }
            val told = retryLab().test(listOf("simulate", "$file")).stderr
            told shouldContain "$file: $.second: unknown member, did you mean \"seconds\"? must be one of name, title"
            told.trim().lines().size shouldBe 1
        }

        test("what no schema can say is told the same way") {
            wrong(changed("server.failures[0].to", "10m")) shouldStartWith
                "$.server.failures[0].to: must be before the end"
            wrong(changed("server.failures[0].operation", "put")) shouldContain "must be one of \"call\": \"put\""
            wrong(changed("fleet[0].calls", "1e7")) shouldStartWith "$.fleet: must make at most 100000000 calls"
            wrong(changed("server.queue.capacity", "{0s: 5, 5s: 2, 4s: 1}")) shouldContain
                "must begin at 0s and go forward"
            wrong(changed("server", "{failures: [{kind: freeze}]}")) shouldContain "needs a \"queue\" that freezes"
            wrong(changed("fleet", "[{clients: 1, trace: nowhere.csv}]")) shouldContain
                "must be a file that can be read"
        }

        test("the scenario that the guide shows can be run") {
            val guide = Path("../docs/lab.md").readText()
            val shown = YamlText.parse(guide.substringAfter("```yaml").substringBefore("```")) as JsonObject
            invalid(shown).shouldBeEmpty()
            read(shown).scenario.fleet.map { it.clients } shouldBe listOf(40, 5, 2_000)
        }

        test("the schema says what each member is") {
            for ((name, member) in schemaMembers()) withClue(name) { ("description" in member) shouldBe true }
        }

        test("the schema names every figure") {
            val named = Json.parseToJsonElement(schemaText).jsonObject.getValue("properties").jsonObject
                .getValue("figures").jsonObject.getValue("items").jsonObject.getValue("enum").jsonArray
            named.map { it.jsonPrimitive.content } shouldBe Figure.all.keys.toList()
        }

        test("a trace is replayed: its moments and its operations") {
            folder.resolve("trace.csv").writeText(
                "# second, operation\n" + (0 until 1_000).joinToString("\n") { "${it / 20.0},b" },
            )
            val file = folder.resolve("traced.yaml")
            file.writeText(
                """
                seconds: 60s
                operations: [a, b]
                fleet: [{clients: 10, trace: trace.csv}]
                server: {}
                figures: [calls, ok]
                policies: {none: none}
                """.trimIndent(),
            )
            run("simulate", "$file") shouldContain "1000 │ 1000"
            folder.resolve("trace.csv").writeText("1.0\nsoon\n")
            retryLab().test(listOf("simulate", "$file")).stderr shouldContain
                "$.fleet[0].trace, line 2 of trace.csv: must be a second from 0 to 86400"
        }
    })
