package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.budget.Peers
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.PolicyArgument
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/**
 * The contestants: a policy as everywhere, a peer by its name, or `POLICY@PEER`, the policy with that peer's budget.
 */
internal object Contestants {
    fun read(text: String): Contestant {
        Peers.find(text)?.let { return Contestant(PolicyArgument.read(it.policy), it.budget) }
        val peer = Peers.find(text.substringAfterLast('@', ""))
        if (peer?.budget == null) return Contestant(PolicyArgument.read(text))
        return Contestant(PolicyArgument.read(text.substringBeforeLast('@')), peer.budget)
    }

    /** The contestant in a scenario file: a text as on the command line, or a policy document. */
    fun read(document: Document): Contestant = read(text(document))

    /** [document] as it is written on the command line. */
    fun text(document: Document): String = when (val element = document.element) {
        is JsonObject -> element.toString()
        is JsonPrimitive -> document.text()
        else -> document.wrong("must be a preset, a peer, a file or a policy document")
    }
}
