package dev.reprise.studies.adaptive

import dev.reprise.lab.input.Document
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.numberAbove
import dev.reprise.lab.input.wholeNumber
import dev.reprise.lab.scenario.latency
import dev.reprise.lab.scenario.policies
import dev.reprise.lab.text.bare
import dev.reprise.virtualtime.RateCondition
import kotlinx.serialization.json.JsonObject
import kotlin.math.PI
import kotlin.math.exp
import kotlin.math.sin

/** A scenario file with `conditions` for adaptive mode. */
internal class ConvergeFile(document: JsonObject) {
    private val root = Document("$", document)
    private val members = root.members(*MEMBERS)
    private val seconds = members["seconds"]?.inSeconds(LEAST_SECONDS) ?: USUAL_SECONDS
    private val warmUp = members["warmUp"]?.inSeconds(0.0, seconds - 1) ?: (seconds / 5)

    val name: String = members["name"]?.text() ?: "converge"
    val title: String = members["title"]?.text() ?: name
    val policies: Map<String, String> = policies(members)

    val seeds: Int = members["seeds"]?.wholeNumber(1..MOST_SEEDS) ?: 1
    val conditions: List<ConditionPlan> = members.required("conditions").items().map(::condition)
    val pictures: List<RatePicture> = members["pictures"]?.items().orEmpty().map(::picture)

    init {
        if (conditions.isEmpty()) members.getValue("conditions").wrong("must have at least one condition")
    }

    private fun condition(document: Document): ConditionPlan {
        val its = document.members("name", "rate", "then", "wanders", "callers", "clients", "latency", "think")
        val callers = its.required("callers").wholeNumber(1..MOST_CALLERS)
        val clients = its["clients"]?.wholeNumber(1..callers) ?: 1
        val latency = its["latency"]?.latency() ?: RateCondition.USUAL
        val think = its["think"]?.inSeconds() ?: 0.0
        val wanders = its["wanders"]?.let(::rate)
        if ((wanders == null) == ("rate" !in its)) document.wrong("must have one of \"rate\" and \"wanders\"")
        if (wanders != null && "then" in its) document.wrong("must have no \"then\" where it \"wanders\"")
        val before = its["rate"]?.let(::rate) ?: 0.0
        val after = its["then"]?.let(::rate)
        val name = its["name"]?.text() ?: when {
            wanders != null -> "wanders around ${bare(wanders)}/s"
            after != null -> "from ${bare(before)}/s to ${bare(after)}/s"
            else -> "${bare(before)}/s, $callers callers"
        }
        return ConditionPlan(name, isChange = after != null) { seed ->
            val changeAt = if (after == null) null else CHANGE + seed * LATER
            RateCondition(
                name = name,
                callers = callers,
                clients = clients,
                latency = latency,
                think = think,
                seconds = if (changeAt == null) seconds else changeAt + AFTER,
                countedFrom = warmUp,
                stepAt = changeAt,
            ) { at ->
                when {
                    wanders != null -> wanders * exp(0.7 * sin(at * 2 * PI / 60) + 0.3 * sin(at * 2 * PI / 17))
                    changeAt == null || at < changeAt -> before
                    else -> after!!
                }
            }
        }
    }

    private fun rate(document: Document) = document.numberAbove(0.0, MOST_RATE)

    private fun picture(document: Document): RatePicture {
        val its = document.members("name", "condition", "from", "to")
        val condition = its.required("condition").text()
        val from = its.required("from").inSeconds()
        return RatePicture(
            name = its.required("name").text(),
            condition = condition,
            from = from,
            to = its.required("to").inSeconds(from),
        )
    }

    private companion object {
        val MEMBERS = arrayOf("name", "title", "seconds", "warmUp", "seeds", "conditions", "pictures", "policies")
        const val LEAST_SECONDS = 10.0
        const val USUAL_SECONDS = 600.0
        const val MOST_RATE = 1e6
        const val MOST_CALLERS = 100_000
        const val MOST_SEEDS = 1_000

        /** By then every limiter has found the first rate. */
        const val CHANGE = 200.0
        const val LATER = 3.7

        /** How long a change is watched. */
        const val AFTER = 120.0
    }
}

/**
 * A condition as a file describes it: steady, with one change of the server's rate, or with a rate that swings by a factor of
 * seven in a minute and trembles on top. Rates a second, times in seconds.
 */
internal class ConditionPlan(
    val name: String,
    /** Whether the server's rate changes once, so that settling is timed. */
    val isChange: Boolean,
    /** Makes the condition of a seed. A change comes at another moment of the limiter's cycle for each of them. */
    val of: (seed: Long) -> RateCondition,
)
