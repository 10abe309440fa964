package dev.reprise.core.json

import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.ErrorRule
import dev.reprise.core.classify.ErrorTable
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.FirstOf
import dev.reprise.core.classify.SelfClassifier
import dev.reprise.core.classify.Statuses
import dev.reprise.core.classify.TransportErrors
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/**
 * `classifier` in policy documents: an array of parts, first asked first. A part is a word (`"self"`, `"transport"`) or an
 * object such as `{"table": […]}`.
 */
internal object ClassifierJson {
    private val words = mapOf("self" to SelfClassifier, "transport" to TransportErrors)

    /** `reject` is the word for a failure that is final. */
    private val kinds: Map<String, FailureKind?> =
        mapOf(
            "transient" to FailureKind.TRANSIENT,
            "timeout" to FailureKind.TIMEOUT,
            "throttling" to FailureKind.THROTTLING,
            "reject" to null,
        )

    fun read(node: Node): Classifier = Classifier.firstOf(*node.items().map(::readPart).toTypedArray())

    private fun readPart(node: Node): Classifier {
        if (!node.isObject) return node.word(words)
        val members = node.members()
        return members.build { ErrorTable(members.required("table").items().map(::readRule)) }
    }

    private fun readRule(node: Node): ErrorRule {
        val members = node.members()
        val kind = members.required("kind").word(kinds)
        return members.build {
            ErrorRule(
                kind = kind,
                codes = members["codes"]?.items()?.map { it.text() }?.toSet().orEmpty(),
                statuses = members["statuses"]?.let(::readStatuses) ?: Statuses.NONE,
            )
        }
    }

    /** Statuses are numbers and, for ranges, texts such as `"500-504"`. */
    fun readStatuses(node: Node): Statuses = Statuses.ofRanges(node.items().map(::readRange))

    private fun readRange(node: Node): IntRange {
        val range = node.textOrNull()?.let { rangeOf(it, node) } ?: node.int().let { it..it }
        node.checked { Statuses.ofRanges(listOf(range)) }
        return range
    }

    private fun rangeOf(text: String, node: Node): IntRange {
        val match = RANGE.matchEntire(text) ?: node.wrong("must be a status or a range such as \"500-504\"")
        val (first, last) = match.destructured
        return first.toInt()..last.toInt()
    }

    fun write(classifier: Classifier, path: String): JsonArray {
        val parts = if (classifier is FirstOf) classifier.parts else listOf(classifier)
        return JsonArray(parts.mapIndexed { i, part -> writePart(part, "$path[$i]") })
    }

    private fun writePart(part: Classifier, path: String): JsonElement {
        for ((word, classifier) in words) if (part == classifier) return JsonPrimitive(word)
        return when (part) {
            is ErrorTable -> jsonObject { put("table", JsonArray(part.rules.map(::writeRule))) }
            else -> throw PolicyFormatException(path, "a classifier of your own cannot be written as JSON", "$part")
        }
    }

    private fun writeRule(rule: ErrorRule): JsonObject = jsonObject {
        text("kind", kinds.entries.first { it.value == rule.kind }.key)
        if (rule.codes.isNotEmpty()) put("codes", JsonArray(rule.codes.map(::JsonPrimitive)))
        if (!rule.statuses.isEmpty) put("statuses", writeStatuses(rule.statuses))
    }

    fun writeStatuses(statuses: Statuses): JsonArray = JsonArray(
        statuses.ranges.map {
            if (it.first == it.last) JsonPrimitive(it.first) else JsonPrimitive("${it.first}-${it.last}")
        },
    )

    private val RANGE = Regex("([0-9]{1,4})-([0-9]{1,4})")
}
