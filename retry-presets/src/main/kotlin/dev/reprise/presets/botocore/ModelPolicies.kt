package dev.reprise.presets.botocore

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.presets.document.Members
import dev.reprise.presets.document.Node
import dev.reprise.presets.sdk.Parts
import java.time.Duration

/** Turns the merged rules of one service, and perhaps of one operation, into a policy. */
internal object ModelPolicies {
    fun policy(service: Members, operation: Members?): RetryPolicy = service.build {
        val delay = service.required("delay")
        val attempts = service.required("max_attempts")
        val rules =
            rulesOf(service["policies"]) + (operation?.let { it.build { rulesOf(it.required("policies")) } }.orEmpty())
        Parts.PLAIN.with {
            maxAttempts = attempts.int().also { if (it < 1) attempts.wrong("must be at least 1") }
            backoff = backoff(delay)
            classifier = classifier(rules)
        }
    }

    /** Checksums first: the table rejects what it does not know. Otherwise the order makes no difference. */
    private fun classifier(rules: List<Rule>): Classifier {
        val checksums = rules.mapNotNull { it.checksum }.map(::Crc32Check)
        val table = ErrorTable(rules.mapNotNull { it.response })
        val sockets = listOf(TransportErrors).filter { rules.any { it.response == null && it.checksum == null } }
        return Classifier.firstOf(SelfClassifier, *checksums.toTypedArray(), table, *sockets.toTypedArray())
    }

    /** `base * growth_factor^(attempts - 1)` s, without a cap; the base `rand` is a draw from [0, 1) for each retry. */
    private fun backoff(node: Node): Backoff = node.read { members ->
        members.required("type").word(mapOf("exponential" to Unit))
        val base = members.required("base")
        val isRandom = base.isText
        if (isRandom) base.word(mapOf("rand" to Unit))
        Backoff.exponential(
            base = if (isRandom) Duration.ofSeconds(1) else duration(base),
            cap = Duration.ofNanos(UNLIMITED_NANOS),
            factor = members.required("growth_factor").double(),
            jitter = if (isRandom) Jitter.FULL else Jitter.NONE,
        )
    }

    private fun duration(seconds: Node): Duration {
        val value = seconds.decimal()
        if (value.signum() <= 0) seconds.wrong("must be \"rand\" or a number above zero")
        return Duration.ofNanos((value.min(LONGEST) * SECOND.toBigDecimal()).toLong())
    }

    private fun rulesOf(policies: Node?): List<Rule> =
        policies?.members()?.let { all -> all.json.keys.map { rule(all.required(it)) } }.orEmpty()

    private fun rule(policy: Node): Rule = policy.read { members ->
        val conditions = members.required("applies_when")
        conditions.read { parts ->
            val socketErrors = parts["socket_errors"]?.let { it.items().map(::socketError) }
            parts["response"]?.let(::responseRule)
                ?: Rule().takeIf { socketErrors != null }
                ?: conditions.wrong("must have the member \"response\" or \"socket_errors\"")
        }
    }

    private fun socketError(node: Node) = node.word(mapOf("GENERAL_CONNECTION_ERROR" to Unit))

    private fun responseRule(node: Node): Rule = node.read { members ->
        val code = members["service_error_code"]
        val status = members["http_status_code"]
        val header = members["crc32body"]
        when {
            code != null -> Rule(codeRule(code.text(), members.required("http_status_code")))
            status != null -> Rule(ErrorRule(kindOf(status.int()), statuses = statuses(status)))
            header != null -> Rule(checksum = header.text())
            else -> node.wrong("must have the member \"http_status_code\" or \"crc32body\"")
        }
    }

    private fun codeRule(code: String, status: Node): ErrorRule {
        val kind = if (code in ErrorTable.THROTTLING_CODES) FailureKind.THROTTLING else FailureKind.TRANSIENT
        return ErrorRule(kind, setOf(code), statuses(status))
    }

    private fun statuses(node: Node) = node.checked { Statuses.of(node.int()) }

    /** botocore's legacy mode knows no kinds; these are what every later mode says. */
    private fun kindOf(status: Int) = if (status == TOO_MANY_REQUESTS) FailureKind.THROTTLING else FailureKind.TRANSIENT

    private const val TOO_MANY_REQUESTS = 429

    /** As long as a `Long` of ns can say. */
    private val LONGEST = (Long.MAX_VALUE / SECOND).toBigDecimal()
}

/** One policy of a model, by the part of the outcome that it tests: a response, its checksum in a header, or else the socket. */
private class Rule(val response: ErrorRule? = null, val checksum: String? = null)
