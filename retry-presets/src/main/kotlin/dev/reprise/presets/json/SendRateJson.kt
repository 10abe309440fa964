package dev.reprise.presets.json

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerHints
import dev.reprise.core.shell.values.growth
import dev.reprise.core.shell.values.longestNanos
import dev.reprise.core.shell.values.word
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.TypeMember
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** `sendRate` and `onNoPermit` in policy documents. What is absent is as `growth` has it, and that the AWS SDKs'. */
internal object SendRateJson {
    private val rules = listOf(SendRateSettings.EXACT, SendRateSettings.STEADY).associateBy { it.growth }
    val growth = TypeMember("growth", rules, default = SendRateSettings.EXACT.growth)
    private val hintUses = ServerHints.entries.associateBy { it.word }

    fun read(node: Node): SendRateSettings = node.read { members ->
        growth.read(members).with {
            members["beta"]?.let { beta(it.double()) }
            members["scale"]?.let { scale(it.double()) }
            members["minFillRate"]?.let { minFillRate(it.double()) }
            members["minCapacity"]?.let { minCapacity(it.double()) }
            members["quietSeconds"]?.let { quietSeconds(it.double()) }
            members["hints"]?.let { hints(it.word(hintUses)) }
        }
    }

    fun write(rate: SendRateSettings): JsonObject = jsonObject {
        text("growth", rate.growth)
        number("beta", rate.beta)
        number("scale", rate.scale)
        number("minFillRate", rate.minFillRate)
        number("minCapacity", rate.minCapacity)
        val isSteady = rate.growth == SendRateSettings.STEADY.growth
        val isQuiet = isSteady || rate.quietSeconds != SendRateSettings.EXACT.quietSeconds
        if (isQuiet) number("quietSeconds", rate.quietSeconds)
        if (isSteady || rate.hints != SendRateSettings.EXACT.hints) text("hints", rate.hints.word)
    }

    private val words = mapOf("wait" to NoPermit.Wait, "fail" to NoPermit.Fail)

    /** `"wait"`, `"fail"` or `{"waitAtMost": "2s"}`. */
    fun readNoPermit(node: Node): NoPermit {
        if (node.isText) return node.word(words)
        if (!node.isObject) node.wrong("must be \"wait\", \"fail\" or an object such as {\"waitAtMost\": \"2s\"}")
        return node.read { NoPermit.waitAtMost(it.required("waitAtMost").duration()) }
    }

    fun writeNoPermit(noPermit: NoPermit): JsonElement = when (noPermit) {
        NoPermit.Wait -> JsonPrimitive("wait")
        NoPermit.Fail -> JsonPrimitive("fail")
        else -> jsonObject { duration("waitAtMost", noPermit.longestNanos) }
    }
}
