package dev.reprise.studies.occ

import dev.reprise.lab.input.Document
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.wholeNumber
import dev.reprise.lab.scenario.policies
import kotlinx.serialization.json.JsonObject

/** A scenario file with `contention`: clients that all want to write one row. */
internal class Contention(document: JsonObject) {
    private val root = Document("$", document)
    private val members = root.members("name", "title", "contention", "policies")
    private val contention = members.required("contention")
    private val parts = contention.members("clients", "runs", "hop")

    val name: String = members["name"]?.text() ?: "occ"
    val title: String = members["title"]?.text() ?: name
    val policies: Map<String, String> = policies(members)

    val clients: List<Int> =
        parts.required("clients").items().map { it.wholeNumber(1..MOST_CLIENTS) }

    /** Runs for each figure, which is their mean. */
    val runs: Int = parts.required("runs").wholeNumber(1..MOST_RUNS)

    val hop: Hop = parts["hop"]?.let(::hop) ?: Hop.BLOG

    init {
        if (clients.isEmpty()) contention.wrong("must have at least one number of clients")
    }

    private fun hop(document: Document): Hop {
        val its = document.members("mean", "deviation")
        fun part(name: String) = its.required(name).inSeconds()
        return Hop(part("mean"), part("deviation"))
    }

    private companion object {
        /** Writes grow with the square of the clients. */
        const val MOST_CLIENTS = 2_000
        const val MOST_RUNS = 100_000
    }
}

/** How long a message takes: |Normal([mean], [deviation])|, in seconds. */
internal class Hop(val mean: Double, val deviation: Double) {
    companion object {
        /** As in the experiment of the AWS architecture blog. */
        val BLOG = Hop(mean = 0.01, deviation = 0.002)
    }
}
