package dev.reprise.presets.clock

import dev.reprise.build.Vectors
import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.ResultKind
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.time.Clock
import java.time.Duration
import java.time.Instant
import java.time.ZoneId
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter

private class SkewedAnswer(row: JsonObject, received: Instant) : HttpOutcome() {
    private val headers = row.filterKeys { it == "date" || it == "age" }.mapValues { it.value.jsonPrimitive.content }
    override val status: Int = row["status"]?.jsonPrimitive?.int ?: 403
    override val errorCode: String? = row["code"]?.jsonPrimitive?.content
    override val receivedAtEpochMillis: Long = received.toEpochMilli()

    override fun header(name: String): String? = headers[name]
}

/** The SDKs' own cases of July 2026, from `vectors/clock-skew.json`. */
class ClockSkewVectorsTest :
    FunSpec({
        val vectors = Vectors.read("clock-skew.json")
        val noon = Instant.parse("2026-01-01T12:00:00Z")

        test("the 13 cases of the SDK for Go: which codes are retried, at which skew") {
            val rows = vectors.getValue("threshold").jsonArray.map { it.jsonObject }
            rows.size shouldBe 13
            for (row in rows) {
                val date = row["skewSeconds"]?.jsonPrimitive?.int?.let { date(noon.plusSeconds(it.toLong())) }
                val sent = JsonObject(row + listOfNotNull(date?.let { "date" to Json.parseToJsonElement("\"$it\"") }))
                val verdict = ClockSkew.STANDARD.classifyResult(SkewedAnswer(sent, noon))
                withClue(row) { (verdict is Verdict.Retry) shouldBe row.getValue("retried").jsonPrimitive.boolean }
            }
        }

        test("the 10 cases of the SDK for .NET: signing times and offsets") {
            val cases = vectors.getValue("operations").jsonArray.map { it.jsonObject }
            cases.size shouldBe 10
            for (case in cases) withClue(case["name"]) { Played().play(case) }
        }
    })

private fun date(at: Instant) = DateTimeFormatter.RFC_1123_DATE_TIME.format(at.atOffset(ZoneOffset.UTC))

/** One client with a clock, for the operations of one case. */
private class Played {
    private var now = Instant.EPOCH
    private val base = object : Clock() {
        override fun instant() = now

        override fun getZone(): ZoneId = ZoneOffset.UTC

        override fun withZone(zone: ZoneId) = this
    }
    private val clock = ServerClock(base)
    private val policy = RetryPolicy { classifyFirst(ClockSkew.STANDARD) }
    private val nanos = { Duration.between(Instant.EPOCH, now).toNanos() }

    fun play(case: JsonObject) {
        val operations = case.getValue("operations").jsonArray.map { it.jsonObject }
        learn(seconds(operations.first(), "offsetBefore"))
        for (operation in operations) {
            clock.getOffset().seconds shouldBe seconds(operation, "offsetBefore")
            for (attempt in operation.getValue("attempts").jsonArray.map { it.jsonObject }) attempt(attempt)
            clock.getOffset().seconds shouldBe seconds(operation, "offsetAfter")
        }
    }

    private fun attempt(row: JsonObject) {
        now = time(row, "send")
        clock.instant() shouldBe time(row, "signed")
        val verdict = answered(row, time(row, "receive"))
        row["retried"]?.let { (verdict is Verdict.Retry) shouldBe it.jsonPrimitive.boolean }
    }

    /** An earlier response has told the clock that it is [seconds] behind. */
    private fun learn(seconds: Long) {
        now = Instant.parse("2025-12-31T00:00:00Z")
        answered(JsonObject(mapOf("date" to Json.parseToJsonElement("\"${date(now.plusSeconds(seconds))}\""))), now)
    }

    private fun answered(row: JsonObject, received: Instant): Verdict? {
        val call = CallSetup(policy, null, null, listOf(clock), nanos, { 1.0 })
            .begin(CallOptions.DEFAULT, ResultKind.VALUE)
        call.attemptStarts()
        now = received
        val answer = SkewedAnswer(row, received)
        call.completed(answer)
        return ClockSkew.STANDARD.classifyResult(answer)
    }

    private fun seconds(row: JsonObject, name: String) = row.getValue(name).jsonPrimitive.int.toLong()

    private fun time(row: JsonObject, name: String) = Instant.parse(row.getValue(name).jsonPrimitive.content)
}
