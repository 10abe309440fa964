package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Tier
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.Limits
import dev.reprise.lab.input.Members
import dev.reprise.lab.input.entries
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.wholeNumber
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.nio.file.Path

/** A scenario file as it was read: the scenario, the policies to try, and how to look at them. */
internal class ScenarioFile(
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
            scenario = scenario(members),
            policies = policies(members),
            figures = members["figures"]?.items().orEmpty().map { it.text() },
            pictures = members["pictures"]?.items().orEmpty().map { it.text() },
            seeds = members["seeds"]?.wholeNumber(1..MOST_SEEDS) ?: 1,
        )
    }

    private fun scenario(members: Members): Scenario {
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
            fleet = FleetReader(operations, folder).read(members.required("fleet")),
            tiers = members["tiers"]?.items().orEmpty().map(::tier),
            fanOut = members["fanOut"]?.wholeNumber(1..MOST_FAN_OUT) ?: 1,
            server = ServerReader(operations).read(members.required("server")),
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

    private fun tier(document: Document): Tier {
        val members = document.members("name", "instances", "attemptTimeout")
        return Tier(
            members.required("name").text(),
            members["instances"]?.wholeNumber(1..MOST_INSTANCES) ?: 1,
            members.required("attemptTimeout").inSeconds(LEAST_TIMEOUT),
        )
    }

    private companion object {
        val MEMBERS = arrayOf(
            "name", "title", "about", "seconds", "warmUp", "attemptTimeout", "seeds", "operations", "fleet",
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
