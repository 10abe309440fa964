package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Tier
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.Limits
import dev.reprise.lab.input.Members
import dev.reprise.lab.input.entries
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.numberAbove
import dev.reprise.lab.input.wholeNumber
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.doubleOrNull
import java.nio.file.Path

/** A scenario file as it was read: the scenario, the policies to try, and how to look at them. */
internal class ScenarioFile(
    /** The scenario, of the size that the file asks for. */
    val scenario: Scenario,
    val policies: Map<String, String>,
    val figures: List<String>,
    val pictures: List<String>,
    val seeds: Int,
)

/** Reads scenario files; `docs/lab.md` describes their members. */
internal class ScenarioFileReader(private val folder: Path) {
    /** Reads [document], or throws a [PolicyFormatException] if a member is unknown, missing or not as it must be. */
    fun read(document: JsonObject): ScenarioFile {
        val root = Document("$", document)
        val members = root.members(*MEMBERS)
        return ScenarioFile(
            scenario = scenario(members, members["size"]?.let { size(it, members) } ?: 1.0),
            policies = policies(members),
            figures = members["figures"]?.items().orEmpty().map { it.text() },
            pictures = members["pictures"]?.items().orEmpty().map { it.text() },
            seeds = members["seeds"]?.wholeNumber(1..MOST_SEEDS) ?: 1,
        )
    }

    /**
     * The part of a scenario to simulate. Only where a part behaves as the whole: calls that come whether or not others
     * have ended, and a server whose limits are queues. Rates that a few clients share come out otherwise.
     */
    private fun size(document: Document, beside: Members): Double {
        val size = document.numberAbove(0.0, 1.0)
        val server = beside.required("server").element as? JsonObject
        val groups = beside.required("fleet").items().map { it.element as? JsonObject }
        val why = when {
            size == 1.0 -> null

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
        val seconds = members.required("seconds").inSeconds(1.0)
        val operations = members["operations"]?.items()?.map { it.text() } ?: listOf("call")
        if (operations.isEmpty()) members.getValue("operations").wrong("must name at least one operation")
        val scenario = Scenario(
            name = members["name"]?.text() ?: "scenario",
            title = members["title"]?.text() ?: members["name"]?.text() ?: "A scenario",
            about = members["about"]?.text() ?: "",
            seconds = seconds,
            warmUp = members["warmUp"]?.inSeconds(0.0, seconds - 1) ?: 0.0,
            attemptTimeout = members["attemptTimeout"]?.inSeconds(LEAST_TIMEOUT),
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
            members.required("attemptTimeout").inSeconds(LEAST_TIMEOUT),
        )
    }

    private companion object {
        /** What a server shares out among its clients: a few of them do not feel it as many do. */
        val WHOLE = listOf("admission", "concurrency", "doublesAt")
        val RANDOM = JsonPrimitive("random")
        val MEMBERS = arrayOf(
            "name", "title", "about", "seconds", "warmUp", "attemptTimeout", "size", "seeds", "operations", "fleet",
            "tiers", "fanOut", "server", "policies", "figures", "pictures",
        )
        const val MOST_SEEDS = 1_000
        const val MOST_INSTANCES = 1_000
        const val MOST_FAN_OUT = 10_000
        const val LEAST_TIMEOUT = 0.001
    }
}

/** The `policies` among [members] as they are written down, by label; each of them can be had. */
internal fun policies(members: Map<String, Document>): Map<String, String> =
    members["policies"]?.entries().orEmpty().associate { (label, policy) ->
        Contestants.read(policy)
        label to Contestants.text(policy)
    }
