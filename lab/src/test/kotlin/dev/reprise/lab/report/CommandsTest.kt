package dev.reprise.lab.report

import com.github.ajalt.clikt.testing.test
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.retryLab
import dev.reprise.presets.PolicyJson
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.io.File

class CommandsTest :
    FunSpec({
        val folder = tempdir()
        val file = folder.resolve("five.json").also { it.writeText("""{"preset":"standard-2.1","maxAttempts":5}""") }
        val both = "standard-2.1 $file"
        val outage = "simulate outage --clients 5 --seconds 80 $both"
        val throttle = "simulate throttle --clients 2 --seconds 70 $both"
        val hedge = "simulate hedge --calls 20 --set seconds 20s $both"
        val page = "--out $folder/page --overwrite"
        val compare = "compare --experiment outage --experiment throttle $page $both"

        fun run(command: String): String {
            val result = retryLab().test(command.split(" "))
            result.statusCode shouldBe 0
            result.stderr shouldBe ""
            return result.stdout
        }

        fun policies(experiment: JsonObject) = experiment.getValue("policies").jsonArray.map {
            it.jsonObject.getValue("policy").jsonPrimitive.content
        }

        test("presets and files may be mixed, and --json is JSON that names them") {
            for (command in listOf(outage, throttle, hedge)) {
                val json = Json.parseToJsonElement(run("$command --json")).jsonObject
                policies(json) shouldBe listOf("standard-2.1", "$file")
            }
            val compared = Json.parseToJsonElement(run("$compare --json")) as JsonArray
            compared.forEach { policies(it.jsonObject) shouldBe listOf("standard-2.1", "$file") }
        }

        test("compare gives one table with a column for each policy, and one set of plots") {
            val printed = run(compare)
            printed.lines().first { "outage: calls lost" in it }.split("│").size shouldBe 5
            printed shouldContain "throttle, closed loop: throttled"
            printed.lines().first() shouldContain "2 policies were tried in 2 experiments"
            File(folder, "page").list()!!.toList() shouldContainExactlyInAnyOrder
                listOf(
                    "figures.json",
                    "index.html",
                    "outage.svg",
                    "outage-ok.svg",
                    "outage-p99.svg",
                    "throttle.svg",
                    "throttle-p99.svg",
                )
        }

        test("the same seed gives the same bytes: tables, JSON, SVG and HTML") {
            for (command in listOf(outage, throttle, hedge, "$outage --json", "explain standard-2.1")) {
                run(command) shouldBe run(command)
            }
            fun drawn() = run("$outage --plots $folder/drawn").let { File(folder, "drawn/outage.svg").readText() }
            drawn() shouldBe drawn()
            drawn() shouldStartWith "<svg "
            fun page() = run(compare) + File(folder, "page/index.html").readText()
            page() shouldBe page()
            run("$outage --json --seed 2") shouldNotBe run("$outage --json")
        }

        test("two runs that were written as JSON are compared figure by figure") {
            fun written(name: String, command: String) =
                folder.resolve(name).also { it.writeText(run("$command --json")) }
            val (one, two) = written("one.json", outage) to written("two.json", "$outage --calls 2")
            run("compare $one $one") shouldContain "The runs are equal."
            val rows = run("compare $one $two").lines()
            rows.first { "outage: standard-2.1: calls" in it } shouldContain "+"
            rows.none { "outage: standard-2.1: recovery" in it } shouldBe true
            val json = Json.parseToJsonElement(run("compare $one $two --json")).jsonArray.map { it.jsonObject }
            val calls = json.first { it.getValue("figure").jsonPrimitive.content == "calls" }
            calls.getValue("after").jsonPrimitive.double shouldBeGreaterThan
                calls.getValue("before").jsonPrimitive.double
        }

        test("layers are compared for each kind of mark that travels") {
            fun written(name: String, seed: Int) = folder.resolve(name).also {
                it.writeText(run("simulate layers --clients 2 --set seconds 100s --seed $seed --json http"))
            }
            val (one, two) = written("layers-one.json", 1) to written("layers-two.json", 2)
            run("compare $one $one") shouldContain "The runs are equal."
            run("compare $one $two") shouldContain "layers: http: marks travel: calls"
        }

        test("a report is not overwritten unasked: the message names the file and the option, and nothing is changed") {
            fun compare(seed: Int, more: String = "") = retryLab().test(
                "compare --experiment throttle --out $folder/kept --seed $seed $more $both".split(" ") - "",
            )
            compare(seed = 1).statusCode shouldBe 0
            val kept = File(folder, "kept/index.html").readText()
            val refused = compare(seed = 2)
            refused.statusCode shouldBe 2
            refused.stderr shouldContain
                "$folder/kept/index.html exists: name another folder with --out, or give --overwrite"
            File(folder, "kept/index.html").readText() shouldBe kept
            compare(seed = 2, "--overwrite").statusCode shouldBe 0
            File(folder, "kept/index.html").readText() shouldNotBe kept
        }

        test("two reports are compared by their folders, which hold all figures") {
            fun report(name: String, seeds: Int) =
                "$folder/$name".also { run("compare --experiment throttle --out $it --seed $seeds $both") }
            val (one, two) = report("page-one", 1) to report("page-two", 2)
            run("compare $one $one") shouldContain "The runs are equal."
            run("compare $one $two") shouldContain "throttle: standard-2.1: calls"
        }

        test("no table of a simulation is wider than 80 columns, and explain ends in the policy's document") {
            for (
            command in listOf(
                "simulate outage --clients 20",
                "simulate stall --clients 20",
                "simulate throttle --seconds 70",
                "explain standard-2.1",
            )
            ) {
                run(command).lines().filter { it.startsWith("│") }.forEach { it.length shouldBeLessThanOrEqual 80 }
            }
            val document = run("explain standard-2.1").let { it.substring(it.indexOf("{")) }
            PolicyJson.read(document) shouldBe RetryPolicy.STANDARD
        }
    })
