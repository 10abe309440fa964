package dev.reprise.presets.json

import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.core.shell.values.limits
import dev.reprise.core.shell.values.rejectOn
import dev.reprise.core.shell.values.stopAfterNanos
import dev.reprise.core.shell.values.word
import dev.reprise.presets.document.DurationText
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.TypeMember
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import java.time.Duration

/** The members of a policy document, both ways. A member that is absent leaves the builder as it is. */
internal object PolicyMembers {
    private val actions = OnBadResult.entries.associateBy { it.word }
    private val whenRetriedBelow = WhenRetriedBelow.entries.associateBy { it.word }

    /** The members whose objects are of one of several types. */
    val types: Map<String, TypeMember<*>> =
        BackoffJson.members.associateWith { BackoffJson.type } +
            mapOf("quota" to QuotaJson.type, "sendRate" to SendRateJson.growth)

    fun read(members: Members, into: RetryPolicyBuilder): RetryPolicy = members.build {
        members["maxAttempts"]?.let { into.maxAttempts = readAttempts(it) }
        members["backoff"]?.let { into.backoff = BackoffJson.read(it) }
        members["classifier"]?.let { into.classifier = ClassifierJson.read(it) }
        members["retryOn"]?.let { into.classifyFirst(ClassifierJson.readRetryOn(it)) }
        members["rejectOn"]?.let { ClassifierJson.readClassNames(it).forEach(into::rejectOn) }
        members["serverDelays"]?.let { into.serverDelays = it.items().map(ServerDelayJson::read) }
        members["quota"]?.let { into.quota = if (it.isNone) null else QuotaJson.read(it) }
        members["sendRate"]?.let { into.sendRate = if (it.isNone) null else SendRateJson.read(it) }
        members["onNoPermit"]?.let { into.onNoPermit = SendRateJson.readNoPermit(it) }
        members["hedge"]?.let { into.hedge = if (it.isNone) null else HedgeJson.read(it) }
        members["deadline"]?.let { into.deadline(readLimit(it)) }
        members["stopAfter"]?.let { into.stopAfter(readLimit(it)) }
        members["attemptTimeout"]?.let { into.attemptTimeouts(*readLimits(it).toTypedArray()) }
        members["onBadResult"]?.let { into.onBadResult = it.word(actions) }
        members["whenRetriedBelow"]?.let { into.whenRetriedBelow = it.word(whenRetriedBelow) }
        members["honourShouldRetry"]?.let { into.honourShouldRetry = it.boolean() }
        members["longPollingDelay"]?.let { into.longPollingDelay = it.boolean() }
        members["trace"]?.let { into.trace = it.boolean() }
        into.build()
    }

    private fun readAttempts(node: Node): Int {
        if (node.isNull || node.textOrNull() == DurationText.UNLIMITED) return Int.MAX_VALUE
        val number = node.intOrNull() ?: node.wrong("must be a whole number or \"${DurationText.UNLIMITED}\"")
        return number.also { if (it < 1) node.wrong("must be at least 1") }
    }

    /** One duration, or one for each attempt in their order; the last holds for all further ones. */
    private fun readLimits(node: Node): List<Duration> {
        if (!node.isText && !node.isArray) return listOf(readLimit(node))
        return node.list().map(::readLimit).ifEmpty { node.wrong("must not be empty") }
    }

    private fun readLimit(node: Node): Duration {
        val nanos = node.limitNanos() ?: UNLIMITED_NANOS
        return Duration.ofNanos(nanos).also { if (it.isZero) node.wrong("must be above zero") }
    }

    fun write(policy: RetryPolicy): JsonObject = jsonObject {
        val attempts = policy.maxAttempts
        if (attempts == Int.MAX_VALUE) text("maxAttempts", DurationText.UNLIMITED) else number("maxAttempts", attempts)
        put("backoff", BackoffJson.write(policy.backoff, "$.backoff"))
        put("classifier", ClassifierJson.write(policy.classifier, "$.classifier"))
        put("serverDelays", JsonArray(policy.serverDelays.map(ServerDelayJson::write)))
        orNull("quota", policy.quota?.let(QuotaJson::write))
        orNull("sendRate", policy.sendRate?.let(SendRateJson::write))
        put("onNoPermit", SendRateJson.writeNoPermit(policy.onNoPermit))
        // Most policies have none: their documents stay as they were.
        policy.hedge?.let { put("hedge", HedgeJson.write(it)) }
        duration("deadline", policy.deadlineNanos)
        if (policy.stopAfterNanos != UNLIMITED_NANOS) duration("stopAfter", policy.stopAfterNanos)
        val limits = policy.limits
        if (limits.size == 1) duration("attemptTimeout", limits[0]) else durations("attemptTimeout", limits)
        text("onBadResult", policy.onBadResult.word)
        text("whenRetriedBelow", policy.whenRetriedBelow.word)
        flag("honourShouldRetry", policy.honourShouldRetry)
        flag("longPollingDelay", policy.longPollingDelay)
        flag("trace", policy.trace)
    }
}
