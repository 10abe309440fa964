package dev.reprise.core.shell.http

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi

/** A response of which some bytes may have been read before it is judged: the outcome of every HTTP face. */
public abstract class ReadOutcome @ShellApi protected constructor(final override val receivedAtEpochMillis: Long) :
    HttpOutcome() {
    /** The bytes that were read, the first of the body; `null` if none were. */
    @ShellApi
    protected abstract val read: ByteArray?

    /** Whether these are the whole body as the server sent it. */
    @ShellApi
    protected abstract val isWhole: Boolean

    private var judged: Result<Verdict>? = null
    private var wantsBody = false

    /** Whether this is no good response: whose caller sees a break of its body where it is. */
    @ShellApi
    public val isFailure: Boolean get() = status >= BodyPeek.FIRST_FAILURE

    /** The verdict of [policy] on what is known by now. Asks the policy once; later calls return the same, or throw it. */
    @ShellApi
    public fun verdictOf(policy: RetryPolicy): Verdict =
        (judged ?: runCatching { policy.judge(this) }.also { judged = it }).getOrThrow()

    /**
     * Whether [policy] rejects a good response by its head. Then its body need not be read, which could take long. Without effect
     * if the policy looks at the body: it is asked again when that is there.
     */
    @ShellApi
    public fun isRejectedUnread(policy: RetryPolicy): Boolean {
        if (isFailure) return false
        val isRejected = runCatching { verdictOf(policy) }.getOrNull() is Verdict.Retry
        if (wantsBody) judged = null
        return isRejected && !wantsBody
    }

    /** The verdict on the head, if the policy was asked about that. */
    @ShellApi
    override val verdict: Verdict? get() = judged?.getOrThrow()

    override val errorCode: String? get() = ErrorCodes.of(this, read)

    /** The service's error message, if enough of a failure's body was read. */
    override val errorMessage: String? get() = ErrorCodes.messageOf(this, read)

    /** The whole body as the server sent it; `null` if it was not read, is longer than what is read, or was unpacked. */
    override val body: ByteArray?
        get() {
            wantsBody = true
            return if (isWhole) read?.copyOf() else null
        }
}
