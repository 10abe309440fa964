package dev.reprise.core.shell.http

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.shell.ShellApi

/** How much of which bodies a face reads before it asks the classifier. Immutable. */
@ShellApi
public class BodyPeek private constructor(
    /** The responses whose bodies are read. */
    public val need: BodyNeed,
    private val bytes: Int,
) {
    /**
     * How many bytes of the body of a response with this [status] are read at most; 0 for none. What follows a 1xx, such
     * as an upgrade to a web socket, is no body. A 304 has none though it may have a length, for which OkHttp would wait.
     */
    public fun bytesOf(status: Int): Int = when {
        status < FIRST_FINAL || status == NOT_MODIFIED -> 0
        need == BodyNeed.ALL || (need == BodyNeed.FAILURES && status >= FIRST_FAILURE) -> bytes
        else -> 0
    }

    override fun toString(): String = "$need, $bytes bytes"

    public companion object {
        /**
         * An error message is in the first lines, a checksum needs the whole body; bodies of AWS services are shorter
         * than this.
         */
        public const val LEAST_FOR_RULES: Int = 64 * 1024

        /** How long the body of a failure is read before the failure is judged, on every face: a second. */
        public const val LONGEST_NANOS: Long = 1_000_000_000

        private const val FIRST_FINAL = 200

        internal const val FIRST_FAILURE = 300
        private const val NOT_MODIFIED = 304

        /**
         * The bytes to read for [classifier]: [errorBodyBytes] of failures. A classifier with rules about messages or
         * checksums gets 64 KiB at least, so that such a rule works without a setting.
         *
         * @throws IllegalArgumentException if [errorBodyBytes] is negative
         */
        @JvmStatic
        public fun of(classifier: Classifier, errorBodyBytes: Int): BodyPeek {
            val need = classifier.bodyNeed
            return when {
                need != BodyNeed.NONE -> BodyPeek(need, maxOf(errorBodyBytes, LEAST_FOR_RULES))
                checkBytes(errorBodyBytes) > 0 -> BodyPeek(BodyNeed.FAILURES, errorBodyBytes)
                else -> BodyPeek(BodyNeed.NONE, 0)
            }
        }

        /** Returns [errorBodyBytes] if it is not negative. */
        @JvmStatic
        public fun checkBytes(errorBodyBytes: Int): Int {
            require(errorBodyBytes >= 0) { "errorBodyBytes must not be negative: $errorBodyBytes" }
            return errorBodyBytes
        }
    }
}
