package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Arrival
import dev.reprise.lab.fleet.Group
import dev.reprise.lab.fleet.nanosOf
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.Limits
import dev.reprise.lab.input.entries
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.number
import dev.reprise.lab.input.numberAbove
import dev.reprise.lab.input.wholeNumber
import dev.reprise.presets.document.PolicyFormatException
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.readLines

/** Reads the `fleet` of a scenario. */
internal class FleetReader(
    private val operations: List<String>,
    /** Where the files lie that a scenario names. */
    private val folder: Path,
) {
    fun read(document: Document): List<Group> {
        val groups = document.items().map(::group)
        if (groups.isEmpty()) document.wrong("must have at least one group of clients")
        if (groups.sumOf { it.clients.toLong() } > Limits.CLIENTS) {
            document.wrong("must have at most ${Limits.CLIENTS} clients")
        }
        return groups
    }

    private fun group(document: Document): Group {
        val members = document.members(*MEMBERS)
        val work = listOf("calls", "callers", "trace").filter { it in members }
        if (work.size != 1) document.wrong("must have one of \"calls\", \"callers\" and \"trace\"")
        members["name"]?.text()
        return Group(
            clients = members.required("clients").wholeNumber(1..Limits.CLIENTS),
            calls = members["calls"]?.numberAbove(0.0, Limits.CALLS.toDouble()),
            isEven = members["arrivals"]?.word(mapOf("random" to false, "even" to true)) ?: false,
            callers = members["callers"]?.wholeNumber(1..MOST_CALLERS) ?: 0,
            think = members["think"]?.inSeconds() ?: 0.0,
            trace = members["trace"]?.let(::trace),
            joins = members["joins"]?.inSeconds() ?: 0.0,
            over = members["over"]?.inSeconds() ?: 0.0,
            policy = members["policy"]?.let(Contestants::read),
            mix = members["mix"]?.let(::mix) ?: operations.map { 1.0 / operations.size },
            inFlight = members["inFlight"]?.wholeNumber(1..Int.MAX_VALUE) ?: Int.MAX_VALUE,
        )
    }

    private fun mix(document: Document): List<Double> {
        val parts = document.entries().associate { (name, part) ->
            if (name !in operations) part.wrong("unknown operation, must be one of ${operations.joinToString()}")
            name to part.number(0.0, Limits.CALLS.toDouble())
        }
        val sum = parts.values.sum()
        if (sum <= 0) document.wrong("must have a part above 0")
        return operations.map { (parts[it] ?: 0.0) / sum }
    }

    /** A line for each arrival: its second, and an operation if that is known; sorted here. */
    private fun trace(document: Document): List<Arrival> {
        val lines = try {
            folder.resolve(document.text()).readLines()
        } catch (failure: IOException) {
            document.wrong("must be a file that can be read (${failure.javaClass.simpleName})")
        }
        val arrivals = lines.withIndex()
            .filter { (_, line) -> line.isNotBlank() && !line.startsWith("#") }
            .map { (i, line) -> arrival(line) ?: bad(document, i + 1, line) }
            .sortedBy { it.at }
        if (arrivals.isEmpty()) document.wrong("must be a file with at least one arrival")
        return arrivals
    }

    private fun arrival(line: String): Arrival? {
        val parts = line.split(',').map { it.trim() }
        val second = parts[0].toDoubleOrNull()?.takeIf { it in 0.0..Limits.LATEST } ?: return null
        if (parts.size == 1) return Arrival(nanosOf(second), null)
        val operation = operations.indexOf(parts[1])
        return if (operation < 0 || parts.size > 2) null else Arrival(nanosOf(second), operation)
    }

    private fun bad(document: Document, line: Int, text: String): Nothing = throw PolicyFormatException(
        "${document.path}, line $line of ${document.text()}",
        "must be a second from 0 to ${Limits.LATEST.toInt()}, and maybe one of ${operations.joinToString()}",
        text,
    )

    private companion object {
        val MEMBERS = arrayOf(
            "name", "clients", "calls", "arrivals", "callers", "think", "trace", "joins", "over", "policy", "mix",
            "inFlight",
        )
        const val MOST_CALLERS = 100_000
    }
}
