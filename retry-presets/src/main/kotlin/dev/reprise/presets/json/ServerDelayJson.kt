package dev.reprise.presets.json

import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.shell.values.ServerDelayRule
import dev.reprise.core.shell.values.bound
import dev.reprise.core.shell.values.header
import dev.reprise.core.shell.values.isWaitedOut
import dev.reprise.core.shell.values.limitNanos
import dev.reprise.core.shell.values.ranges
import dev.reprise.core.shell.values.statuses
import dev.reprise.core.shell.values.word
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject
import java.time.Duration

/**
 * One of the `serverDelays` in policy documents: the header, how far it is followed, and perhaps on which statuses.
 * `"clamp": "5s"` follows it up to 5 s beyond the backoff; `"atLeast": "1m"` never comes earlier than asked, up to a
 * minute, and beyond that gives up, or waits the minute with `"beyond": "wait"`; `"add": "1m"` adds it to the backoff.
 */
internal object ServerDelayJson {
    private val headers = ServerDelayHeader.entries.associateBy { it.word }
    private val beyond = mapOf("give-up" to true, "wait" to false)

    fun read(node: Node): ServerDelayRule = node.read { members ->
        ServerDelayRule(
            header = members.required("header").word(headers),
            bound = readBound(node, members),
            statuses = members["statuses"]?.let(ClassifierJson::readStatuses) ?: Statuses.NONE,
        )
    }

    private fun readBound(node: Node, members: Members): ServerDelayBound {
        val bounds = listOfNotNull(
            members["clamp"]?.let { ServerDelayBound.clamp(it.duration()) },
            members["atLeast"]?.let { atLeast(it.duration(), members["beyond"]?.word(beyond) ?: true) },
            members["add"]?.let { ServerDelayBound.add(it.duration()) },
        )
        return bounds.singleOrNull() ?: node.wrong("must have one of the members \"clamp\", \"atLeast\" and \"add\"")
    }

    private fun atLeast(cap: Duration, givesUp: Boolean) =
        if (givesUp) ServerDelayBound.atLeast(cap) else ServerDelayBound.atMost(cap)

    fun write(rule: ServerDelayRule): JsonObject = jsonObject {
        text("header", rule.header.word)
        duration(rule.bound.word, rule.bound.limitNanos)
        if (rule.bound.isWaitedOut) text("beyond", "wait")
        if (rule.statuses.ranges.isNotEmpty()) put("statuses", ClassifierJson.writeStatuses(rule.statuses))
    }
}
