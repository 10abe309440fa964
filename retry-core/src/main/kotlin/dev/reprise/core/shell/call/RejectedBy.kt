package dev.reprise.core.shell.call

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureFunction
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResultFunction
import dev.reprise.core.Verdict
import dev.reprise.core.shell.firstOfCauses

/**
 * Names the rule of [classifier] that rejects [failure], or the response [http], for people. Only rules of this library are
 * asked: a classifier of the user's own is asked once for each outcome, and that was done.
 */
internal fun rejectedBy(classifier: Classifier, failure: Throwable?, http: HttpOutcome?): String {
    val around = listOfNotNull(classifier as? AroundClassifier)
    val parts = around + Classifier.partsOf(policyRules(classifier))
    for (part in parts) {
        val words = when {
            part is NamesRejections && failure != null -> part.whyRejected(failure)
            part is ErrorTable -> http?.let { rejectedBy(part, it) }
            failure == null -> null
            part is ExceptionTable -> rejectedBy(part, failure)
            else -> null
        }
        if (words != null) return words
    }
    val own = parts.filter {
        it !is ErrorTable && it !is ExceptionTable && it !is NamesRejections && it !in around && it.judges(failure)
    }
    val noRule = if (failure == null) null else "no rule names ${failure.javaClass.name}"
    return (own.map { "$it" } + listOfNotNull(noRule)).joinToString(", or ").ifEmpty { "$classifier" }
}

/** Whether this may have an opinion on [failure], or on a result if that is null. */
private fun Classifier.judges(failure: Throwable?): Boolean =
    if (failure == null) this !is FailureFunction else this !is ResultFunction

private fun rejectedBy(table: ErrorTable, http: HttpOutcome): String? {
    if (table.classifyResult(http) != Verdict.Reject) return null
    val said = "status ${http.status}" + http.errorCode?.let { " with code $it" }.orEmpty()
    val rejecting = table.rules.filter { it.kind == null }
    val isByRule = rejecting.any { it.verdict(http.status, http.errorCode, http.errorMessage) != null }
    return if (isByRule) "a rule rejects $said" else "no rule retries $said"
}

private fun rejectedBy(table: ExceptionTable, failure: Throwable): String? =
    firstOfCauses(failure, table.depth) { cause ->
        table.rules.firstNotNullOfOrNull { rule -> rule.verdict(cause)?.let { it to rule.typeOf(cause) } }
    }?.let { (verdict, type) -> if (verdict == Verdict.Reject) "a rule rejects $type" else null }

private fun ExceptionRule.typeOf(failure: Throwable): String? =
    generateSequence<Class<*>>(failure.javaClass) { it.superclass }.find(::names)?.name
