package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import java.util.Collections
import java.util.function.Function

/**
 * Turns the outcome of an attempt into a [Verdict], or has no opinion (`null`).
 *
 * Classifiers compose: of several, the first that has an opinion decides (see [or] and [firstOf]), so a rule of your own
 * stands before the tables. Where none has an opinion, an exception is rejected and a result accepted.
 *
 * A classifier is called by many threads at once and must not block. One that throws ends the call with that exception.
 */
public interface Classifier {
    /** The verdict on an attempt that threw [failure]; never called for a cancellation. */
    public fun classifyFailure(failure: Throwable): Verdict? = null

    /** The verdict on an attempt that returned [result]. Stands on the path of every successful call: keep it cheap. */
    public fun classifyResult(result: Any?): Verdict? = null

    /**
     * The results that [classifyResult] has to be asked about; all others are accepted unasked, for nothing.
     * [ResultScope.ANY] asks about every result of every call, and has to be said.
     */
    public val resultScope: ResultScope

    /**
     * The response bodies that this classifier reads; faces pass it no others. Override this if you read
     * [HttpOutcome.body] or [HttpOutcome.errorMessage].
     */
    public val bodyNeed: BodyNeed get() = BodyNeed.NONE

    /** This classifier, and [next] where it has no opinion. */
    public infix fun or(next: Classifier): Classifier = firstOf(this, next)

    public companion object {
        /** Has no opinion on anything: every exception is final, every result is accepted. */
        @JvmField
        public val NONE: Classifier = FirstOf(Collections.emptyList())

        /** The classifier that asks [classifiers] in order and takes the first opinion. */
        @JvmStatic
        public fun firstOf(vararg classifiers: Classifier): Classifier {
            val parts = ArrayList<Classifier>()
            for (classifier in classifiers) parts.addAll(partsOf(classifier))
            return if (parts.size == 1) parts[0] else FirstOf(parts)
        }

        /** The classifiers that [classifier] asks, first asked first; itself if it is no chain. */
        internal fun partsOf(classifier: Classifier): List<Classifier> =
            (classifier as? FirstOf)?.parts ?: Collections.singletonList(classifier)

        /** The response that [failure] stands for, if [classifier] can read it; else `null`. */
        internal fun responseOf(classifier: Classifier, failure: Throwable): HttpOutcome? =
            if (classifier is ResponseReader) classifier.responseOf(failure) else null

        /** Retries, as a failure of [kind], every exception that is a [type]. */
        @JvmStatic
        @JvmOverloads
        public fun onException(type: Class<out Throwable>, kind: FailureKind = FailureKind.TRANSIENT): Classifier =
            ExceptionTable(ExceptionRule(kind, type.name), depth = 1)

        /** Retries, as a failure of [kind], every exception with a [type] anywhere in its chain of causes. */
        @JvmStatic
        @JvmOverloads
        public fun onCause(type: Class<out Throwable>, kind: FailureKind = FailureKind.TRANSIENT): Classifier =
            ExceptionTable(ExceptionRule(kind, type.name))

        /** Asks [classify] about every exception; `null` for no opinion. */
        @JvmStatic
        public fun failures(classify: Function<Throwable, Verdict?>): Classifier = FailureFunction(classify)

        /** Asks [classify] about every result; `null` for no opinion. */
        @JvmStatic
        public fun results(classify: Function<Any?, Verdict?>): Classifier = results(BodyNeed.NONE, classify)

        /** Asks [classify] about every result, which looks at the bodies that [need] says; `null` for no opinion. */
        @JvmStatic
        public fun results(need: BodyNeed, classify: Function<Any?, Verdict?>): Classifier =
            ResultFunction(need, classify)
    }
}

/** A function of the user's that judges exceptions. */
internal class FailureFunction(private val classify: Function<Throwable, Verdict?>) : Classifier {
    override fun classifyFailure(failure: Throwable): Verdict? = classify.apply(failure)

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "a function of failures"
}

/** A function of the user's that judges results. */
internal class ResultFunction(override val bodyNeed: BodyNeed, private val classify: Function<Any?, Verdict?>) :
    Classifier {
    override fun classifyResult(result: Any?): Verdict? = classify.apply(result)

    override val resultScope: ResultScope get() = ResultScope.ANY

    override fun toString(): String = "a function of results"
}

/**
 * A classifier that can read the exceptions of a library which throws responses. The parts of a chain that judge responses
 * are then asked about them too, and the server's delay is read from them.
 */
public interface ResponseReader : Classifier {
    /** The HTTP response that [failure] stands for; `null` for none. An exception that is an [HttpFailure] needs no reader. */
    public fun responseOf(failure: Throwable): HttpOutcome?
}

/** A classifier of this library, which does not mind to be asked twice, and says why it rejects a failure. */
@ShellApi
public interface NamesRejections : Classifier {
    /** Why this rejects [failure], for people; `null` if it does not. */
    public fun whyRejected(failure: Throwable): String? =
        if (classifyFailure(failure) == Verdict.Reject) "$this rejects ${failure.javaClass.name}" else null
}
