package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Tier
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.Limits
import dev.reprise.lab.input.Members
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.doubleOrNull
import java.nio.file.Path

/** A scenario file as it was read: the scenario, the policies to try, and how to look at them. */
internal class ScenarioFile(
    /** The whole document, with all that the command line has changed in it. */
    val document: JsonObject,
    /** The scenario, of the size that the file asks for. */
    val scenario: Scenario,
    val policies: Map<String, String>,
    val figures: List<String>,
    val pictures: List<String>,
    val sweep: Sweep?,
    val border: Border?,
    val seeds: Int,
) {
    /** The values to put at [path], one after another. */
    class Sweep(val name: String, val path: String, val values: List<JsonElement>)

    /** For which clients and outages the load is sought from which a fleet does not come back. Times in seconds. */
    class Border(
        val calls: List<Double>,
        val away: List<Double>,
        val timeouts: List<Double>,
        /** In which time after the outage a fleet must be back. */
        val patience: Double,
    )
}

/** Reads scenario files; `docs/lab.md` describes their members. */
internal class ScenarioFileReader(private val folder: Path) {
    /** Reads [document], or throws a [PolicyFormatException] if a member is unknown, missing or not as it must be. */
    fun read(document: JsonObject): ScenarioFile {
        val root = Document("$", document)
        val members = root.members(*MEMBERS)
        return ScenarioFile(
            document = document,
            scenario = scenario(members, members["size"]?.let { size(it, members) } ?: 1.0),
            policies = policies(members),
            figures = members["figures"]?.items().orEmpty().map { it.text() },
            pictures = members["pictures"]?.items().orEmpty().map { it.text() },
            sweep = members["sweep"]?.let { sweep(it, members) },
            border = members["border"]?.let { border(it, members["seeds"]) },
            seeds = members["seeds"]?.wholeNumber(1..MOST_SEEDS) ?: 1,
        )
    }

    /**
     * The part of a scenario to simulate. Only where a part behaves as the whole: calls that come whether or not others
     * have ended, and a server whose limits are queues. Rates that a few clients share, and borders, come out otherwise.
     */
    private fun size(document: Document, beside: Members): Double {
        val size = document.numberAbove(0.0, 1.0)
        val server = beside.required("server").element as? JsonObject
        val groups = beside.required("fleet").items().map { it.element as? JsonObject }
        val why = when {
            size == 1.0 -> null

            "border" in beside || "sweep" in beside -> "it seeks a border or tries several values"

            groups.any { it != null && "callers" in it } -> "its callers wait for their calls"

            groups.any { it != null && number(it["clients"]) * size < 1 } -> "its fleet would be less than one client"

            server == null -> null

            else -> WHOLE.find { it in server }?.let { "its server has \"$it\"" }
                ?: "its server's work is random".takeIf { (server["queue"] as? JsonObject)?.get("work") == RANDOM }
        }
        if (why != null) document.wrong("must be 1, since a part of this scenario does not behave as the whole: $why")
        return size
    }

    private fun number(element: JsonElement?): Double = (element as? JsonPrimitive)?.doubleOrNull ?: Double.MAX_VALUE

    /** The scenario with the part [size] of its clients and of its server, so that each client sees what it saw before. */
    private fun scenario(members: Members, size: Double): Scenario {
        val seconds = members.required("seconds").duration(1.0)
        val operations = members["operations"]?.items()?.map { it.text() } ?: listOf("call")
        if (operations.isEmpty()) members.getValue("operations").wrong("must name at least one operation")
        val scenario = Scenario(
            name = members["name"]?.text() ?: "scenario",
            title = members["title"]?.text() ?: members["name"]?.text() ?: "A scenario",
            about = members["about"]?.text() ?: "",
            seconds = seconds,
            warmUp = members["warmUp"]?.duration(0.0, seconds - 1) ?: 0.0,
            attemptTimeout = members["attemptTimeout"]?.duration(LEAST_TIMEOUT),
            operations = operations,
            fleet = FleetReader(operations, folder, size).read(members.required("fleet")),
            tiers = members["tiers"]?.items().orEmpty().map { tier(it, size) },
            fanOut = members["fanOut"]?.wholeNumber(1..MOST_FAN_OUT) ?: 1,
            server = ServerReader(operations, size).read(members.required("server")),
        )
        if (scenario.tiers.isNotEmpty() && scenario.fleet.any { it.calls == null || it.policy != null }) {
            members.required("fleet").wrong("must have groups with \"calls\" and no \"policy\" beside \"tiers\"")
        }
        for ((i, failure) in scenario.server.failures.withIndex()) {
            if (failure.to == null || failure.to < seconds) continue
            Document("$.server.failures[$i].to", JsonPrimitive("${failure.to}s"))
                .wrong("must be before the end (${seconds}s)")
        }
        if (scenario.offered * seconds > Limits.CALLS) {
            members.required("fleet")
                .wrong("must make at most ${Limits.CALLS} calls in all: ${scenario.offered * seconds}")
        }
        return scenario
    }

    private fun tier(document: Document, size: Double): Tier {
        val members = document.members("name", "instances", "attemptTimeout")
        val instances = members["instances"]?.wholeNumber(1..MOST_INSTANCES) ?: 1
        return Tier(
            members.required("name").text(),
            (instances * size).toInt().coerceAtLeast(1),
            members.required("attemptTimeout").duration(LEAST_TIMEOUT),
        )
    }

    private fun sweep(document: Document, beside: Members): ScenarioFile.Sweep {
        listOf("tiers", "border").find { it in beside }?.let { document.wrong("must not be there beside \"$it\"") }
        val members = document.members("name", "path", "values")
        val values = members.required("values").items()
        if (values.isEmpty()) document.wrong("must have at least one value")
        val path = members.required("path").text()
        return ScenarioFile.Sweep(members["name"]?.text() ?: path, path, values.map { it.element })
    }

    private fun border(document: Document, seeds: Document?): ScenarioFile.Border {
        if (seeds != null) seeds.wrong("must not be there: a border is sought from one seed")
        val its = document.members("calls", "away", "timeouts", "patience")
        fun all(name: String) =
            its.required(name).let { list -> list.items().ifEmpty { list.wrong("must not be empty") } }
        return ScenarioFile.Border(
            calls = all("calls").map { it.numberAbove(0.0, Limits.CALLS.toDouble()) },
            away = all("away").map { it.duration(1.0) },
            timeouts = all("timeouts").map { it.duration(LEAST_TIMEOUT) },
            patience = its.required("patience").duration(LEAST_PATIENCE),
        )
    }

    private companion object {
        /** What a server shares out among its clients: a few of them do not feel it as many do. */
        val WHOLE = listOf("admission", "concurrency", "doublesAt")
        val RANDOM = JsonPrimitive("random")
        val MEMBERS = arrayOf(
            "name", "title", "about", "seconds", "warmUp", "attemptTimeout", "size", "seeds", "operations", "fleet",
            "tiers", "fanOut", "server", "policies", "figures", "pictures", "sweep", "border",
        )
        const val MOST_SEEDS = 1_000
        const val MOST_INSTANCES = 1_000
        const val MOST_FAN_OUT = 10_000
        const val LEAST_TIMEOUT = 0.001
        const val LEAST_PATIENCE = 20.0
    }
}

/** The `policies` among [members] as they are written down, by label; each of them can be had. */
internal fun policies(members: Map<String, Document>): Map<String, String> =
    members["policies"]?.entries().orEmpty().associate { (label, policy) ->
        Contestants.read(policy)
        label to Contestants.text(policy)
    }
