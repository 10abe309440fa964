package dev.reprise.core.shell.call

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi

/** A client's own rules around the classifier of a policy, [inner], which judges all that they leave alone. */
@ShellApi
public abstract class AroundClassifier(internal val inner: Classifier) : ResponseReader {
    override fun classifyFailure(failure: Throwable): Verdict? = inner.classifyFailure(failure)

    override fun classifyResult(result: Any?): Verdict? = inner.classifyResult(result)

    override fun responseOf(failure: Throwable): HttpOutcome? = Classifier.responseOf(inner, failure)

    override val resultScope: ResultScope get() = inner.resultScope

    override val bodyNeed: BodyNeed get() = inner.bodyNeed

    override fun toString(): String = "$inner"
}

/** The rules of a policy, whose [classifier] may have a client's own around them. */
internal fun policyRules(classifier: Classifier): Classifier = (classifier as? AroundClassifier)?.inner ?: classifier
