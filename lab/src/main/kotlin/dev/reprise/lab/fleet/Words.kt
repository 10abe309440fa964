package dev.reprise.lab.fleet

import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.plain

private const val CLOSED =
    "The loop is closed: who fails sooner asks sooner, so compare good calls a second and no parts of calls."

/** Tells what is tried, in a few sentences. */
internal fun Scenario.words(): String {
    val parts = listOf(about) + fleet.map { it.words() } + listOf(
        "Each of these calls is $fanOut calls at once, and takes as long as the slowest.".takeIf { fanOut > 1 },
        "Between them and the server each of ${tiers.joinToString { it.name }} calls the next one for each request."
            .takeIf { tiers.isNotEmpty() },
        server.words(operations),
        attemptTimeout?.let { "A policy without an attempt timeout of its own gets one of ${plain(it)} s." },
        "The figures leave out the first ${plain(warmUp)} s.".takeIf { warmUp > 0 },
        CLOSED.takeIf { isClosedLoop },
    )
    return parts.filterNot { it.isNullOrBlank() }.joinToString(" ")
}

private fun Group.words(): String {
    val fleet = if (clients == 1) "One client" else "${decimal(clients.toDouble(), 0)} clients"
    val s = if (clients == 1) "s" else ""
    val each = if (clients == 1) "" else " each"
    val rate = calls?.let { if (it == 1.0) "a call" else "${plain(it)} calls" }
    val work = when {
        rate != null -> "make$s $rate a second$each"
        trace != null -> "make$s the ${trace.size} calls of a trace"
        callers == 1 -> if (clients == 1) "always has work" else "always have work"
        else -> "run$s $callers callers$each that always have work"
    }
    val joining = ", and join$s from second ${plain(joins)} to ${plain(joins + over)}"
    return "$fleet $work${if (joins > 0 || over > 0) joining else ""}."
}

private fun ServerModel.words(operations: List<String>): String {
    val parts = admission.map { it.words } + listOfNotNull(
        queue?.let { "The server works on ${it.capacity.words()} requests a second and queues up to ${it.length}." },
        concurrency?.let { "The server lets $it requests in at once." },
    )
    return (parts + failures.map { it.words(operations) }).joinToString(" ")
}

private fun Failure.words(operations: List<String>): String {
    val span = when {
        to != null -> "From second ${plain(from)} to ${plain(to)} the server"
        from > 0 -> "From second ${plain(from)} on the server"
        else -> "The server"
    }
    val whole = if (share >= 1) "every request" else "${plain(Math.round(share * 1e4) / 1e2)} % of the requests"
    val hit = whole + (operation?.let { " for “${operations[it]}”" } ?: "")
    return when (kind) {
        Failure.Kind.ERROR -> "$span answers $hit with a 500."
        Failure.Kind.STALL -> "$span takes $hit and never answers."
        Failure.Kind.FREEZE -> "$span stops working, and then goes on with what has queued up."
        Failure.Kind.SLOW -> "$span takes ${plain(factor)} times as long for $hit."
    }
}
