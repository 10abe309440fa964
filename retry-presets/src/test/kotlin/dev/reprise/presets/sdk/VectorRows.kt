package dev.reprise.presets.sdk

import dev.reprise.build.Vectors
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TestCall
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.word
import io.kotest.matchers.doubles.plusOrMinus
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.double
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

internal fun vectors(name: String): JsonObject = Vectors.read(name)

internal fun JsonObject.rows(name: String): List<JsonObject> = getValue(name).jsonArray.map { it.jsonObject }

internal fun JsonObject.textOrNull(name: String): String? = this[name]?.jsonPrimitive?.contentOrNull

internal fun JsonObject.int(name: String): Int = getValue(name).jsonPrimitive.int

internal fun JsonObject.intOrNull(name: String): Int? = textOrNull(name)?.toInt()

internal fun JsonObject.flag(name: String): Boolean = textOrNull(name).toBoolean()

internal fun JsonObject.double(name: String): Double = getValue(name).jsonPrimitive.double

internal fun JsonObject.doubleOrNull(name: String): Double? = this[name]?.jsonPrimitive?.doubleOrNull

/** A response as the vectors describe it. */
internal class Response(
    override val status: Int,
    override val errorCode: String? = null,
    private val headers: Map<String, String> = emptyMap(),
    override val errorMessage: String? = null,
    override val body: ByteArray? = null,
) : HttpOutcome() {
    override fun header(name: String): String? = headers[name.lowercase()]

    companion object {
        fun of(row: JsonObject): Response = Response(
            row.int("status"),
            row.textOrNull("error_code"),
            row["headers"]?.jsonObject?.mapValues { it.value.jsonPrimitive.content }.orEmpty(),
            row.textOrNull("message"),
        )
    }
}

internal val RetryPolicy.dryQuota: Int get() = quota?.capacity ?: 0

/** The calls of one client on scripted outcomes, without time and with the same draw again and again. */
internal class Client(policy: RetryPolicy, available: Int = policy.dryQuota, u: Double = 1.0) {
    val quota: RetryQuota? = policy.quota?.let { RetryQuota(it.capacity, available) }
    private val setup = CallSetup(policy, quota, null, emptyList(), { 0 }, { u })

    fun begin(options: CallOptions = CallOptions.DEFAULT): TestCall = TestCall(setup, options)

    /** Plays [outcomes] until the call ends, and returns it. */
    fun call(outcomes: List<Any>): TestCall {
        val call = begin()
        for (outcome in outcomes) if (!call.isOver) call.ends(outcome)
        return call
    }
}

/** The field's word for what [policy] says of [outcome], `none` for what is not retried. */
internal fun kindOf(policy: RetryPolicy, outcome: Any): String {
    val classifier = policy.classifier
    val verdict = if (outcome is Throwable) classifier.classifyFailure(outcome) else classifier.classifyResult(outcome)
    return (verdict as? Verdict.Retry)?.kind?.word ?: "none"
}

internal fun Backoff.millis(retryIndex: Int, u: Double, kind: FailureKind = FailureKind.TRANSIENT): Double =
    delayNanos(retryIndex, kind, -1) { u } / 1e6

/** Equal but for what is cut off below a nanosecond. */
internal fun nearly(millis: Double) = millis plusOrMinus 2e-6
