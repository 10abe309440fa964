package dev.reprise.presets.json

import dev.reprise.core.rate.GrowthRule
import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.SendRateSettings
import dev.reprise.core.rate.ServerHints
import dev.reprise.core.rate.SteadySettings
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** `sendRate` and `onNoPermit` in policy documents. Absent constants are the AWS SDKs'. */
internal object SendRateJson {
    private val rules = GrowthRule.entries.associateBy { it.word }
    private val hintUses = ServerHints.entries.associateBy { it.word }

    fun read(node: Node): SendRateSettings {
        val members = node.members()
        return members.build {
            SendRateSettings {
                members["growth"]?.let { growth = it.word(rules) }
                members["beta"]?.let { beta = it.double() }
                members["scale"]?.let { scale = it.double() }
                members["smoothing"]?.let { smoothing = it.double() }
                members["minFillRate"]?.let { minFillRate = it.double() }
                members["minCapacity"]?.let { minCapacity = it.double() }
                members["bucketSeconds"]?.let { bucketSeconds = it.double() }
                members["maxRateOverMeasured"]?.let { maxRateOverMeasured = it.double() }
                members["steady"]?.let { steady = readSteady(it) }
            }
        }
    }

    private fun readSteady(node: Node): SteadySettings {
        val members = node.members()
        return members.build {
            SteadySettings {
                members["quietSeconds"]?.let { quietSeconds = it.double() }
                members["hints"]?.let { hints = it.word(hintUses) }
            }
        }
    }

    fun write(rate: SendRateSettings): JsonObject = jsonObject {
        text("growth", rate.growth.word)
        number("beta", rate.beta)
        number("scale", rate.scale)
        number("smoothing", rate.smoothing)
        number("minFillRate", rate.minFillRate)
        number("minCapacity", rate.minCapacity)
        number("bucketSeconds", rate.bucketSeconds)
        number("maxRateOverMeasured", rate.maxRateOverMeasured)
        if (rate.growth == GrowthRule.STEADY || rate.steady != SteadySettings.DEFAULT) {
            put("steady", write(rate.steady))
        }
    }

    private fun write(steady: SteadySettings): JsonObject = jsonObject {
        number("quietSeconds", steady.quietSeconds)
        text("hints", steady.hints.word)
    }

    private val words = mapOf("wait" to NoPermit.Wait, "fail" to NoPermit.Fail)

    /** `"wait"`, `"fail"` or `{"waitAtMost": "2s"}`. */
    fun readNoPermit(node: Node): NoPermit {
        if (node.isText) return node.word(words)
        if (!node.isObject) node.wrong("must be \"wait\", \"fail\" or an object such as {\"waitAtMost\": \"2s\"}")
        val members = node.members()
        return members.build { NoPermit.WaitAtMost(members.required("waitAtMost").nanos()) }
    }

    fun writeNoPermit(noPermit: NoPermit): JsonElement = when (noPermit) {
        NoPermit.Wait -> JsonPrimitive("wait")
        NoPermit.Fail -> JsonPrimitive("fail")
        is NoPermit.WaitAtMost -> jsonObject { duration("waitAtMost", noPermit.nanos) }
    }
}
