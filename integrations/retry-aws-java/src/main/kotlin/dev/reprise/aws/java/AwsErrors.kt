package dev.reprise.aws.java

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorTable
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.parts
import software.amazon.awssdk.core.exception.Crc32MismatchException
import software.amazon.awssdk.core.exception.SdkServiceException

/** Knows the response behind an exception of the SDK, so that tables judge it and its delay is followed. */
internal object AwsErrors : ResponseReader {
    /** The SDK checks DynamoDB's checksums itself, and throws. */
    private val damaged = Classifier.onCause(Crc32MismatchException::class.java)

    override fun responseOf(failure: Throwable): HttpOutcome? = (failure as? SdkServiceException)?.let(::AwsOutcome)

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "exceptions of the AWS SDK"

    /** [policy] with a classifier that knows them; [SdkDecisions] stand right before its tables. */
    fun addedTo(policy: RetryPolicy): RetryPolicy = policy.toBuilder().classifier(over(policy.classifier)).build()

    private fun over(classifier: Classifier): Classifier = (classifier as? SdkRules)?.over(::over)
        ?: Classifier.firstOf(AwsErrors, *withChecks(withSdkDecisions(classifier.parts())))

    /** A classifier that is wholly the user's own, without tables, stays as it is. */
    private fun withSdkDecisions(parts: List<Classifier>): List<Classifier> {
        val at = parts.indexOfFirst { it is ErrorTable || it === TransportErrors }
        return if (at < 0) parts else parts.take(at) + SdkDecisions + parts.drop(at)
    }

    /** A check of bodies, which only the SDK sees, stands for the SDK's own. */
    private fun withChecks(parts: List<Classifier>): Array<Classifier> =
        parts.flatMap { if (it is Crc32Check) listOf(it, damaged) else listOf(it) }.toTypedArray()
}
