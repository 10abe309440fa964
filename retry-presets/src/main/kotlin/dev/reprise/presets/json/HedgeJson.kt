package dev.reprise.presets.json

import dev.reprise.core.Hedge
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.values.afterNanos
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject
import java.time.Duration

/** `hedge` in policy documents: without `after` the delay is learnt. */
internal object HedgeJson {
    private val DEFAULT = Hedge()

    /** Reads it, and tells once that it is young. */
    fun read(node: Node): Hedge = node.read { members ->
        WarningLog.tell("${node.path}: experimental, it may change in a minor version")
        val load = members["maxExtraLoad"]?.double() ?: DEFAULT.maxExtraLoad
        members["after"]?.let { Hedge.after(Duration.ofNanos(it.nanos()), load) } ?: Hedge(load)
    }

    fun write(hedge: Hedge): JsonObject = jsonObject {
        number("maxExtraLoad", hedge.maxExtraLoad)
        if (hedge.afterNanos > 0) duration("after", hedge.afterNanos)
    }
}
