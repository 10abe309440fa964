package dev.reprise.lab.adaptive

import dev.reprise.lab.input.Document
import dev.reprise.lab.scenario.Limits
import dev.reprise.lab.scenario.latency
import dev.reprise.lab.scenario.policies
import dev.reprise.lab.text.bare
import dev.reprise.virtualtime.RateCondition
import kotlinx.serialization.json.JsonObject

/** A scenario file with `conditions` for adaptive mode. */
internal class ConvergeFile(document: JsonObject) {
    private val root = Document("$", document)
    private val members = root.members(*MEMBERS)
    private val seconds = members["seconds"]?.duration(LEAST_SECONDS, Limits.LATEST) ?: USUAL_SECONDS
    private val warmUp = members["warmUp"]?.duration(0.0, seconds - 1) ?: (seconds / 5)

    val name: String = members["name"]?.text() ?: "converge"
    val title: String = members["title"]?.text() ?: name
    val policies: Map<String, String> = policies(members)

    /** Runs for each figure. */
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
        val wanders = its["wanders"]?.let(::rate)
        if ((wanders == null) == ("rate" !in its)) document.wrong("must have one of \"rate\" and \"wanders\"")
        if (wanders != null && "then" in its) document.wrong("must have no \"then\" where it \"wanders\"")
        val before = its["rate"]?.let(::rate) ?: 0.0
        val after = its["then"]?.let(::rate)
        val (usual, rate) = when {
            wanders != null -> "wanders around ${bare(wanders)}/s" to ConditionPlan.Rate.Wander(wanders)

            after != null -> "from ${bare(before)}/s to ${bare(after)}/s" to
                ConditionPlan.Rate.Change(before, after)

            else -> "${bare(before)}/s, $callers callers" to ConditionPlan.Rate.Steady(before)
        }
        return ConditionPlan(
            name = its["name"]?.text() ?: usual,
            rate = rate,
            callers = callers,
            clients = clients,
            latency = its["latency"]?.latency() ?: RateCondition.USUAL,
            think = its["think"]?.duration(0.0, Limits.LATEST) ?: 0.0,
            seconds = seconds,
            warmUp = warmUp,
        )
    }

    private fun rate(document: Document) = document.number(0.0, MOST_RATE, isOpen = true)

    private fun picture(document: Document): RatePicture {
        val its = document.members("name", "condition", "from", "to")
        val condition = its.required("condition").text()
        val from = its.required("from").duration(0.0, Limits.LATEST)
        return RatePicture(
            name = its.required("name").text(),
            condition = condition,
            from = from,
            to = its.required("to").duration(from, Limits.LATEST),
        )
    }

    private companion object {
        val MEMBERS = arrayOf("name", "title", "seconds", "warmUp", "seeds", "conditions", "pictures", "policies")
        const val LEAST_SECONDS = 10.0
        const val USUAL_SECONDS = 600.0
        const val MOST_RATE = 1e6
        const val MOST_CALLERS = 100_000
        const val MOST_SEEDS = 1_000
    }
}
