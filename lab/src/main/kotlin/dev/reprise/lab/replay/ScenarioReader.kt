package dev.reprise.lab.replay

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.document
import dev.reprise.lab.input.entries
import dev.reprise.lab.input.members
import dev.reprise.lab.input.number
import dev.reprise.lab.input.seconds
import dev.reprise.lab.input.textOrNumber
import dev.reprise.lab.input.wholeNumber
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonArray

/** Reads scenarios; `docs/replay.md` describes their members. */
internal object ScenarioReader {
    /** The scenarios that [text] holds: one, or an array of them. Throws a [PolicyFormatException] if it cannot be read. */
    fun read(text: String): List<Scenario> = try {
        val root = document(text)
        if (root.element is JsonArray) root.items().map(::scenario) else listOf(scenario(root))
    } catch (_: StackOverflowError) {
        throw PolicyFormatException("$", "must not be nested that deep", "${text.length} characters")
    }

    private fun scenario(document: Document): Scenario {
        val members = document.members("name", "policy", "draws", "quota", "startAt", "calls")
        val policy = members["policy"]?.let(::policy) ?: RetryPolicy.STANDARD
        return Scenario(
            name = members["name"]?.text(),
            policy = policy,
            drawn = members["draws"]?.items()?.map { it.number(0.0, 1.0) }.orEmpty(),
            quota = members["quota"]?.let { quota(policy, it) },
            startAt = members["startAt"]?.seconds() ?: 0,
            calls = members.required("calls").items().map(::call),
        )
    }

    private fun policy(document: Document): RetryPolicy {
        val policy = PolicyJson.read(document.element, document.path)
        if (policy.hedge != null) document.wrong("must have no hedge, because each attempt has one outcome")
        return policy
    }

    private fun quota(policy: RetryPolicy, tokens: Document): RetryQuota {
        val settings = policy.quota as? TokenBucketSettings
            ?: tokens.wrong("must be absent, because the policy has no token bucket")
        return RetryQuota(settings.capacity, tokens.wholeNumber(0..settings.capacity))
    }

    private fun call(document: Document): Scenario.Call {
        val members = document.members("at", "operation", "longPolling", "idempotent", "outcomes")
        val options = CallOptions {
            operation = members["operation"]?.text()
            repeat = if (members["idempotent"]?.boolean() == false) Repeat.IF_UNSENT else Repeat.SAFE
            longPolling = members["longPolling"]?.boolean() ?: false
        }
        val outcomes = members.required("outcomes")
        return Scenario.Call(document.path, members["at"]?.seconds(), options, outcomes.items().map(::outcome))
    }

    private fun outcome(document: Document): Scenario.Outcome {
        val members =
            document.members("status", "code", "headers", "body", "exception", "message", "cause", "takes")
        val takes = members["takes"]?.let { takes ->
            takes.seconds().also { if (it < 0) takes.wrong("must not be negative") }
        }
        val exception = members["exception"]
        val status = members["status"]
        if ((exception == null) == (status == null)) document.wrong("must have either \"status\" or \"exception\"")
        if (exception != null) {
            refuse(members, "an exception", "code", "headers", "body")
            return Scenario.Failure(takes ?: 0, Throwables.read(members))
        }
        refuse(members, "a response", "cause")
        if ("body" in members) refuse(members, "a response whose body tells it", "message")
        return Scenario.Response(
            takesNanos = takes ?: 0,
            status = status!!.wholeNumber(STATUSES),
            code = members["code"]?.text(),
            message = members["message"]?.text(),
            headers = members["headers"]?.entries().orEmpty().associate { (name, value) ->
                name.lowercase() to value.textOrNumber()
            },
            body = members["body"]?.text(),
        )
    }

    private fun refuse(members: Map<String, Document>, what: String, vararg names: String) {
        for (name in names) members[name]?.wrong("must be absent, because the outcome is $what")
    }

    private val STATUSES = 100..599
}
