package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.layers.ThreadScope
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture

/**
 * One call of the SDK: Reprise's loop with the roles reversed. The SDK makes the attempts and does the waiting. It asks
 * for the next step after a failed attempt, and reports a successful one.
 *
 * ```
 * the SDK                              this call
 * ───────────────────────────────────  ──────────────────────────────────────────────────────────
 * acquires the first token             PERMIT, then the first attempt begins
 * an attempt failed, refreshes         attemptFailed(…), WAIT is handed out as the delay, PERMIT is awaited before it
 * waits, then sends                    the attempt begins: heard of through CallHooks, else known only at its outcome
 * records a success                    attemptSucceeded()
 * aborts, or drops the future          heard of through CallHooks, else when the token is unreachable
 * ```
 *
 * If services have policies of their own and this call's service is unknown, it has the plain policy until a failure names
 * its service, which a failure between client and server never does.
 *
 * The SDK changes threads between these steps, and cancels from any of them; a permit is awaited outside the lock.
 */
internal class AwsCall(private val retriers: Retriers, private val context: CallContext?, service: String?) {
    private val scope = context?.let(retriers::scopeOf)
    private val setup = retriers.setup(service, scope).also { it.warnOfHedge("an AWS client sends no copies") }
    private val isProvisional = service == null && scope == null && retriers.dependsOnService
    private val madeAt = Moments.next()
    private var sentAt = 0L

    // Begun now, on the caller's thread: later steps run on other threads.
    private var call = setup.begin(optionsOf(context, service), ResultKind.VALUE)
    private var isInAttempt = false
    private var isFirst = true
    private var begunOn: Thread? = null
    private var permit: CompletableFuture<Long>? = null
    private var lastFailure: Throwable? = null

    /** Whether this call has ended: nothing that the SDK does can change it. */
    @Volatile
    var hasEnded = false
        private set

    /** Whether something is lost, or left untold, if the SDK never speaks of this call again. */
    val hasToEnd: Boolean get() = isWatched || !isFirst

    private val isWatched: Boolean get() = setup.listeners.isNotEmpty()

    /** The permit to wait for before the next attempt's delay, or `null` for none. */
    @Synchronized
    fun wanted(): PermitWait? = callAt(NextStep.PERMIT)?.let { PermitWait(setup.line!!, it) }

    /** The first attempt begins. */
    @Synchronized
    fun firstAttempt() {
        if (hasEnded) throw cancellation(null)
        if (call.next == NextStep.DONE) throw Stop.refused(over())
        if (setup.isAdaptive) sentAt = setup.clock.nanoTime()
        // Hooks tell when it is really sent, which a call that was cancelled in the line never is.
        if (context != null && setup.isAdaptive) return
        call.attemptStarts()
        isInAttempt = true
    }

    /**
     * The attempt that follows a wait begins; does nothing if it is known to have begun.
     *
     * An asynchronous client begins one also for a future that was cancelled meanwhile, and cancels it in the same breath, on
     * the same thread. Whether this one is real shows only what comes next.
     */
    @Synchronized
    fun attemptBegins(isAsync: Boolean) {
        if (hasEnded || isInAttempt) return
        if (isAsync) {
            sentAt = setup.clock.nanoTime()
            begunOn = Thread.currentThread()
        } else {
            isInAttempt = true
            call.attemptStarts()
        }
    }

    /** An attempt failed. Returns the delay before the next one, for which a permit may be [wanted]; throws if there is none. */
    @Synchronized
    fun attemptFailed(request: RefreshRetryTokenRequest, isAsync: Boolean = false): Duration {
        val failure = request.failure()
        if (SdkDecisions.isCancellation(failure)) {
            val isReal = begunOn != null && begunOn !== Thread.currentThread()
            if (isReal && !hasEnded) decided(failure)
            ends(cancellation(failure))
        }
        if (hasEnded) throw Stop.late(request)
        var call = decided(failure)
        if (request.isLongPolling) call = call.asLongPoll()
        // Synchronous clients throw the same type for what the caller's own reader throws.
        val hasBody = isAsync && (context == null || context.body != null)
        val before = lastFailure?.takeIf { hasBody && SdkDecisions.isRefusal(failure) }
        lastFailure = failure
        val verdict = if (before == null) null else SdkDecisions.noBody
        call = call.failed(failure, Thrown.FAILURE, verdict, ThreadScope(madeAt, 0, 0))
        if (call.next == NextStep.REPEAT) call.repeats(before == null && context?.maySendAgain() != false)
        this.call = call
        isFirst = false
        isInAttempt = false
        begunOn = null
        val delay = if (call.next == NextStep.WAIT) call.delayNanos else 0
        if (call.next == NextStep.WAIT) call.waited()
        if (call.next == NextStep.DONE) throw Stop.of(over(), request, delay, before)
        sentAt = setup.clock.nanoTime() + delay
        return Duration.ofNanos(delay)
    }

    /** How long the quota still needs to say whether it pays for the next attempt, in ns; 0 if it has said so. */
    @Synchronized
    fun unpaidNanos(): Long = callAt(NextStep.WAIT)?.delayNanos ?: 0

    /** The quota's time to pay ([unpaidNanos]) is over. */
    @Synchronized
    fun askQuota() {
        if (unpaidNanos() > 0) call.waited()
    }

    /** Returns the exception to throw if the [wanted] permit of a further attempt was refused; `null` if it was granted. */
    @Synchronized
    fun refusal(request: RefreshRetryTokenRequest): Throwable? = when {
        hasEnded -> Stop.late(request)
        call.next == NextStep.DONE -> Stop.of(over(), request, 0)
        else -> null
    }

    /** An attempt succeeded. */
    @Synchronized
    fun attemptSucceeded() {
        if (hasEnded) return
        decided(null).completed(Unit, verdict = Verdict.Accept)
        over()
    }

    /**
     * The SDK has ended this call with [failure]. Unless the call had ended, tokens taken for a retry that did not
     * begin come back.
     */
    fun sdkEnded(failure: Throwable): Unit =
        ends(if (SdkDecisions.isCancellation(failure)) cancellation(failure) else failure)

    /** The SDK has lost this call. */
    fun sdkForgot(): Unit = if (hasEnded) Unit else ends(cancellation(null))

    /** Ends this call with [cause]; does nothing if it has ended. */
    @Synchronized
    fun ends(cause: Throwable) {
        if (hasEnded) return
        hasEnded = true
        permit?.cancel(true)
        call = call.broke(cause)
    }

    /** Remembers what waits for a permit, to cancel it with this call. Returns false if this call has ended. */
    @Synchronized
    fun waitsFor(permit: CompletableFuture<Long>): Boolean {
        this.permit = permit
        return !hasEnded
    }

    /** The [permit][waitsFor] was had after a wait of [waited] ns, or was refused. A call that has ended gives it back. */
    @Synchronized
    fun permitCame(wait: PermitWait, waited: Long) {
        permit = null
        if (hasEnded) wait.giveBack(waited) else wait.report(waited)
    }

    /** The call, in an attempt that ends with [failure] or a success; under the policy of the service that a failure names. */
    private fun decided(failure: Throwable?): RetryCall {
        if (!isInAttempt) call.attemptStarted(sentAt)
        isInAttempt = true
        val named = if (isProvisional) failure?.let(::serviceOf) else null
        val own = named?.let { retriers.setup(it, null) } ?: return call
        // Asked last: a policy that has replaced all services' meanwhile is for later calls.
        if (retriers.dependsOnService) call = call.under(own)
        return call
    }

    private fun callAt(step: NextStep): RetryCall? = call.takeIf { !hasEnded && it.next == step }

    private fun over(): RetryCall {
        hasEnded = true
        return call
    }

    private fun optionsOf(context: CallContext?, service: String?): CallOptions {
        val operation = context?.operation ?: return CallOptions.DEFAULT
        return retriers.options(context.service ?: service ?: return CallOptions.DEFAULT, operation)
    }

    private fun cancellation(cause: Throwable?) =
        CancellationException("the AWS SDK ended the call").apply { if (cause != null) initCause(cause) }

    override fun toString(): String = "$call"
}
