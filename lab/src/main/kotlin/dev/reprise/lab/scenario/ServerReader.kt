package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.server.Failure
import dev.reprise.lab.fleet.server.Latency
import dev.reprise.lab.replay.Document
import kotlinx.serialization.json.JsonPrimitive

/** Reads the `server` of a scenario. */
internal class ServerReader(private val operations: List<String>) {
    fun read(document: Document): ServerModel {
        val members = document.members(*MEMBERS)
        val queue = members["queue"]?.let(::queue)
        val failures = members["failures"]?.items().orEmpty().map { failure(it, hasQueue = queue != null) }
        return ServerModel(
            latency = members["latency"]?.let(::latency) ?: Latency.Constant(USUAL_LATENCY),
            admission = members["admission"]?.items().orEmpty().map(::admission),
            concurrency = members["concurrency"]?.wholeNumber(1..MOST),
            doublesAt = members["doublesAt"]?.wholeNumber(1..MOST),
            queue = queue,
            throttles = refusal(members["throttles"], Refusal(TOO_MANY, null, null)),
            busy = refusal(members["busy"], Refusal(UNAVAILABLE, null, null)),
            failures = failures,
        )
    }

    private fun latency(document: Document): Latency {
        if (document.element is JsonPrimitive) return Latency.Constant(document.duration(LEAST, Limits.LATEST))
        val members = document.members("from", "to", "median", "p99", "histogram")
        val kinds = listOf("from", "median", "histogram").filter { it in members }
        return when (kinds.singleOrNull()) {
            "from" -> {
                val from = document.required(members, "from").duration(LEAST, Limits.LATEST)
                Latency.Range(from, document.required(members, "to").duration(from, Limits.LATEST))
            }

            "median" -> {
                val median = document.required(members, "median").duration(LEAST, Limits.LATEST)
                Latency.LogNormal(median, document.required(members, "p99").duration(median, Limits.LATEST))
            }

            "histogram" -> histogram(document.required(members, "histogram"))

            else -> document.wrong(
                "must be a duration, or have \"from\" and \"to\", \"median\" and \"p99\", or \"histogram\"",
            )
        }
    }

    /** Shares and the latency that such a share does not exceed: `{0.5: 20ms, 0.99: 80ms, 1: 2s}`. */
    private fun histogram(document: Document): Latency {
        val points = document.entries().map { (share, latency) ->
            val part = share.toDoubleOrNull()?.takeIf { it > 0 && it <= 1 }
                ?: latency.wrong("must belong to a share above 0, at most 1, not to $share:")
            part to latency.duration(LEAST, Limits.LATEST)
        }
        val isRising = points.zipWithNext().all { (a, b) -> a.first < b.first && a.second <= b.second }
        if (!isRising || points.lastOrNull()?.first != 1.0) document.wrong("must rise, and end with the share 1")
        return Latency.Histogram(points)
    }

    private fun admission(document: Document): AdmissionModel {
        val members = document.members("type", "rate", "burst", "limit", "window")
        fun required(name: String) = document.required(members, name)
        return when (required("type").word(ADMISSIONS.associateWith { it })) {
            "token-bucket" -> {
                val rate = required("rate").steps(MOST.toDouble())
                AdmissionModel.TokenBucket(rate, members["burst"]?.number(1.0, MOST.toDouble()) ?: 1.0)
            }

            "fixed-window" -> AdmissionModel.FixedWindow(limit(required("limit")), window(required("window")))

            "sliding-window" ->
                AdmissionModel.SlidingWindow(
                    limit(required("limit")),
                    window(required("window")),
                    countsRefusals = false,
                )

            else -> AdmissionModel.SlidingWindow(
                limit(required("limit")),
                window(required("window")),
                countsRefusals = true,
            )
        }
    }

    private fun limit(document: Document) = document.steps(MOST.toDouble())

    private fun window(document: Document) = document.duration(LEAST, Limits.LATEST)

    private fun queue(document: Document): QueueModel {
        val members = document.members("capacity", "workers", "length", "work")
        return QueueModel(
            capacity = document.required(members, "capacity").steps(MOST.toDouble()),
            workers = members["workers"]?.wholeNumber(1..MOST_WORKERS) ?: 1,
            length = members["length"]?.wholeNumber(0..MOST) ?: MOST,
            isRandom = members["work"]?.word(mapOf("fixed" to false, "random" to true)) ?: false,
        )
    }

    private fun refusal(document: Document?, usual: Refusal): Refusal {
        val members = document?.members("status", "code", "retryAfter") ?: return usual
        return Refusal(
            status = members["status"]?.wholeNumber(STATUSES) ?: usual.status,
            code = members["code"]?.text(),
            retryAfter = members["retryAfter"]?.textOrNumber(),
        )
    }

    private fun failure(document: Document, hasQueue: Boolean): FailureModel {
        val members = document.members("kind", "from", "to", "share", "operation", "factor")
        val kind = document.required(members, "kind").word(Failure.Kind.entries.associateBy { it.word })
        val from = members["from"]?.duration(0.0, Limits.LATEST) ?: 0.0
        if (kind == Failure.Kind.FREEZE && !hasQueue) document.wrong("needs a \"queue\" that freezes")
        return FailureModel(
            kind = kind,
            from = from,
            to = members["to"]?.duration(from, Limits.LATEST),
            share = members["share"]?.number(0.0, 1.0) ?: 1.0,
            operation = members["operation"]?.word(operations.withIndex().associate { it.value to it.index }),
            factor = members["factor"]?.number(1.0, MOST.toDouble()) ?: 1.0,
        )
    }

    companion object {
        private val MEMBERS = arrayOf(
            "latency",
            "admission",
            "concurrency",
            "doublesAt",
            "queue",
            "throttles",
            "busy",
            "failures",
        )
        private val ADMISSIONS = listOf("token-bucket", "fixed-window", "sliding-window", "counting-window")
        private val STATUSES = 100..599
        private const val MOST = 100_000_000
        private const val MOST_WORKERS = 1_000_000
        private const val USUAL_LATENCY = 0.02
        private const val TOO_MANY = 429
        private const val UNAVAILABLE = 503

        /** A server takes time: one that answers at once lets a policy without limit try for ever at one moment. */
        private const val LEAST = 0.001
    }
}

/** The member [name] of this object, which has [members]. */
internal fun Document.required(members: Map<String, Document>, name: String): Document =
    members[name] ?: wrong("must have the member \"$name\"")
