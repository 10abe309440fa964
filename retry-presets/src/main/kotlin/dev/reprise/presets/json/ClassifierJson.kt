package dev.reprise.presets.json

import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.SelfClassifier
import dev.reprise.core.SqlErrors
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.ErrorTable
import dev.reprise.core.shell.values.codes
import dev.reprise.core.shell.values.depth
import dev.reprise.core.shell.values.dropsStatus
import dev.reprise.core.shell.values.kind
import dev.reprise.core.shell.values.message
import dev.reprise.core.shell.values.parts
import dev.reprise.core.shell.values.ranges
import dev.reprise.core.shell.values.rules
import dev.reprise.core.shell.values.statuses
import dev.reprise.core.shell.values.statusesOf
import dev.reprise.core.shell.values.types
import dev.reprise.core.shell.values.unsent
import dev.reprise.presets.clock.ClockSkew
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/**
 * `classifier` in policy documents: an array of parts, first asked first. A part is a word (`"self"`, `"engines"`, `"transport"`, `"sql"`)
 * or an object: `{"table": […]}` for responses, `{"exceptions": […]}`, `{"crc32": "x-amz-crc32"}`, or `{"clockSkew": {}}`.
 */
internal object ClassifierJson {
    private val words =
        mapOf("self" to SelfClassifier, "engines" to EngineErrors, "transport" to TransportErrors, "sql" to SqlErrors)

    /** `reject` is the word for a failure that is final. */
    private val kinds: Map<String, FailureKind?> =
        FailureKind.entries.associateBy { it.name.lowercase() } + ("reject" to null)

    fun read(node: Node): Classifier = Classifier.firstOf(*node.list().map(::readPart).toTypedArray())

    /** The classifier that retries the exceptions of these classes, before the others are asked. */
    fun readRetryOn(node: Node): Classifier =
        ExceptionTable(listOf(ExceptionRule(FailureKind.TRANSIENT, readClassNames(node))), depth = 1)

    fun readClassNames(node: Node): Set<String> {
        val names = node.texts()
        if (names.isEmpty() || !names.all(CLASS_NAME::matches)) {
            node.wrong("must be names of classes with their packages, such as \"java.io.IOException\"")
        }
        return names
    }

    private fun readPart(node: Node): Classifier {
        if (!node.isObject) return node.word(words)
        return node.read { members ->
            members["exceptions"]?.let { readExceptions(members, it) }
                ?: members["crc32"]?.let { Crc32Check(it.text()) }
                ?: members["clockSkew"]?.let(::readSkew)
                ?: readTable(members)
        }
    }

    private fun readSkew(node: Node): ClockSkew = node.read { members ->
        ClockSkew {
            members["definiteCodes"]?.let { definiteCodes = it.texts() }
            members["possibleCodes"]?.let { possibleCodes = it.texts() }
            members["threshold"]?.let { thresholdNanos = it.nanos() }
        }
    }

    private fun readTable(members: Members) = ErrorTable(
        rules = members.required("table").items().map(::readRule),
        dropsStatus = members["dropsStatus"]?.boolean() ?: false,
    )

    private fun readExceptions(members: Members, rules: Node): ExceptionTable {
        val table = ExceptionTable(rules.items().map(::readExceptionRule))
        return members["depth"]?.let { ExceptionTable(table.rules, it.int()) } ?: table
    }

    private fun readExceptionRule(node: Node): ExceptionRule = node.read { members ->
        ExceptionRule(
            kind = members.required("kind").word(kinds),
            types = readClassNames(members.required("types")),
            message = members["message"]?.text(),
            unsent = members["unsent"]?.boolean() ?: false,
        )
    }

    private fun readRule(node: Node): ErrorRule = node.read { members ->
        ErrorRule(
            kind = members.required("kind").word(kinds),
            codes = members["codes"]?.texts().orEmpty(),
            statuses = members["statuses"]?.let(::readStatuses) ?: Statuses.NONE,
            message = members["message"]?.text(),
        )
    }

    /** Statuses are numbers and, for ranges, texts such as `"500-504"`. */
    fun readStatuses(node: Node): Statuses = statusesOf(node.list().map(::readRange))

    private fun readRange(node: Node): IntRange {
        val range = node.intOrNull()?.let { it..it } ?: rangeOf(node)
        node.checked { statusesOf(listOf(range)) }
        return range
    }

    private fun rangeOf(node: Node): IntRange {
        val match =
            node.textOrNull()?.let(RANGE::matchEntire) ?: node.wrong("must be a status or a range such as \"500-504\"")
        val (first, last) = match.destructured
        return first.toInt()..last.toInt()
    }

    fun write(classifier: Classifier, path: String): JsonArray {
        val parts = classifier.parts()
        return JsonArray(parts.mapIndexed { i, part -> writePart(part, "$path[$i]") })
    }

    private fun writePart(part: Classifier, path: String): JsonElement {
        for ((word, classifier) in words) if (part == classifier) return JsonPrimitive(word)
        return when (part) {
            is ErrorTable -> writeTable(part)
            is ExceptionTable -> writeExceptions(part, path)
            is Crc32Check -> jsonObject { text("crc32", part.header) }
            is ClockSkew -> jsonObject { put("clockSkew", writeSkew(part)) }
            else -> throw PolicyFormatException(path, "a classifier of your own cannot be written as JSON", "$part")
        }
    }

    private fun writeSkew(skew: ClockSkew): JsonObject = jsonObject {
        texts("definiteCodes", skew.definiteCodes)
        texts("possibleCodes", skew.possibleCodes)
        duration("threshold", skew.thresholdNanos)
    }

    private fun writeTable(table: ErrorTable): JsonObject = jsonObject {
        put("table", JsonArray(table.rules.map(::writeRule)))
        if (table.dropsStatus) flag("dropsStatus", true)
    }

    private fun writeRule(rule: ErrorRule): JsonObject = jsonObject {
        text("kind", wordOf(rule.kind))
        if (rule.codes.isNotEmpty()) texts("codes", rule.codes)
        if (rule.statuses.ranges.isNotEmpty()) put("statuses", writeStatuses(rule.statuses))
        rule.message?.let { text("message", it) }
    }

    private fun writeExceptions(table: ExceptionTable, path: String): JsonObject = jsonObject {
        val rules = table.rules.mapIndexed { i, rule -> writeExceptionRule(rule, "$path.exceptions[$i]") }
        put("exceptions", JsonArray(rules))
        number("depth", table.depth)
    }

    private fun writeExceptionRule(rule: ExceptionRule, path: String): JsonObject = jsonObject {
        text("kind", wordOf(rule.kind))
        // A name without a package is taken for a mistake when it is read.
        rule.types.find { !CLASS_NAME.matches(it) }?.let {
            throw PolicyFormatException("$path.types", "a class without a package cannot be written as JSON", it)
        }
        texts("types", rule.types)
        rule.message?.let { text("message", it) }
        if (rule.unsent) flag("unsent", true)
    }

    private fun wordOf(kind: FailureKind?) = kinds.entries.first { it.value == kind }.key

    fun writeStatuses(statuses: Statuses): JsonArray = JsonArray(
        statuses.ranges.map {
            if (it.first == it.last) JsonPrimitive(it.first) else JsonPrimitive("${it.first}-${it.last}")
        },
    )

    private val CLASS_NAME = Regex("(?:[\\p{L}_$][\\p{L}\\p{N}_$]*+\\.)++[\\p{L}_$][\\p{L}\\p{N}_$]*+")
    private val RANGE = Regex("([0-9]{1,4}+)-([0-9]{1,4}+)")
}
