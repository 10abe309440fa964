package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.AdmissionRule
import dev.reprise.lab.fleet.Answer
import dev.reprise.lab.fleet.Failure
import dev.reprise.lab.fleet.QueueModel
import dev.reprise.lab.fleet.ServerModel
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.number
import dev.reprise.lab.input.textOrNumber
import dev.reprise.lab.input.wholeNumber
import dev.reprise.virtualtime.Latency

/** Reads the `server` of a scenario. */
internal class ServerReader(private val operations: List<String>) {
    fun read(document: Document): ServerModel {
        val members = document.members(*MEMBERS)
        return ServerModel(
            latency = members["latency"]?.latency() ?: Latency.constant(USUAL_LATENCY),
            admission = members["admission"]?.items().orEmpty().map(::admission),
            concurrency = members["concurrency"]?.wholeNumber(1..MOST),
            doublesAt = members["doublesAt"]?.wholeNumber(1..MOST),
            queue = members["queue"]?.let(::queue),
            throttled = refusal(members["throttles"], TOO_MANY),
            busy = refusal(members["busy"], UNAVAILABLE),
            failures = members["failures"]?.items().orEmpty().map { failure(it, hasQueue = "queue" in members) },
        )
    }

    private fun rate(document: Document) = document.steps(MOST.toDouble())

    private fun admission(document: Document): AdmissionRule {
        val members = document.members("type", "rate", "burst", "limit", "window")
        val type = members.required("type").word(ADMISSIONS.associateWith { it })
        if (type == "token-bucket") {
            val rate = rate(members.required("rate"))
            val burst = members["burst"]?.number(1.0, MOST.toDouble()) ?: 1.0
            return AdmissionRule.tokenBucket(rate, burst)
        }
        val limit = rate(members.required("limit"))
        val window = members.required("window").inSeconds(LEAST_LATENCY)
        return if (type == "fixed-window") {
            AdmissionRule.fixedWindow(limit, window)
        } else {
            AdmissionRule.slidingWindow(limit, window, countsRefusals = type == "counting-window")
        }
    }

    private fun queue(document: Document): QueueModel {
        val members = document.members("capacity", "workers", "length", "work")
        return QueueModel(
            capacity = rate(members.required("capacity")),
            workers = members["workers"]?.wholeNumber(1..MOST_WORKERS) ?: 1,
            length = members["length"]?.wholeNumber(0..MOST) ?: MOST,
            isRandom = members["work"]?.word(mapOf("fixed" to false, "random" to true)) ?: false,
        )
    }

    private fun refusal(document: Document?, usual: Int): Answer {
        val members = document?.members("status", "code", "retryAfter")
        return Answer(
            status = members?.get("status")?.wholeNumber(100..599) ?: usual,
            errorCode = members?.get("code")?.text(),
            headers = members?.get("retryAfter")?.let { mapOf("retry-after" to it.textOrNumber()) }.orEmpty(),
            isRefused = true,
        )
    }

    private fun failure(document: Document, hasQueue: Boolean): Failure {
        val members = document.members("kind", "from", "to", "share", "operation", "factor")
        val kind = members.required("kind").word(Failure.Kind.entries.associateBy { it.word })
        val from = members["from"]?.inSeconds() ?: 0.0
        if (kind == Failure.Kind.FREEZE && !hasQueue) document.wrong("needs a \"queue\" that freezes")
        return Failure(
            kind = kind,
            from = from,
            to = members["to"]?.inSeconds(from),
            share = members["share"]?.number(0.0, 1.0) ?: 1.0,
            operation = members["operation"]?.word(operations.withIndex().associate { it.value to it.index }),
            factor = members["factor"]?.number(1.0, MOST.toDouble()) ?: 1.0,
        )
    }

    private companion object {
        val MEMBERS =
            arrayOf("latency", "admission", "concurrency", "doublesAt", "queue", "throttles", "busy", "failures")
        val ADMISSIONS = listOf("token-bucket", "fixed-window", "sliding-window", "counting-window")
        const val MOST = 100_000_000
        const val MOST_WORKERS = 1_000_000
        const val USUAL_LATENCY = 0.02
        const val TOO_MANY = 429
        const val UNAVAILABLE = 503
    }
}
