@file:JvmName("RetryReactor")

package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.ShellApi
import dev.reprise.coroutines.Retrier
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.scheduler.Scheduler

/**
 * Subscribes to this mono again when it fails or gives a result that is not accepted, as [retrier]'s policy says. Each
 * subscription is one call.
 *
 * At the end it signals the last attempt's own error, with one suppressed [RetryTrace][dev.reprise.core.RetryTrace]. A
 * result that was never accepted is passed on, unless the policy says throw. An empty mono has succeeded; a classifier
 * of results sees it as `null`. A `TimeoutException` of a `timeout` inside this mono, or a coroutine's `withTimeout`, is a
 * transient failure unless the classifier says otherwise.
 *
 * Cancelling the subscription ends the call at once, also in a wait: tokens that were taken for a retry that did not
 * begin come back. A `CancellationException` from this mono ends the call too.
 *
 * Waits and limits use [scheduler], and an attempt after a wait is subscribed there. `null` stands for
 * `Schedulers.parallel()`, looked up for each wait, so that `StepVerifier.withVirtualTime` takes effect. A limit that no thread of it
 * is free for ends the call on another. No thread is blocked. The subscriber's context reaches every attempt. A result that the subscriber will not get goes to its
 * `doOnDiscard`.
 */
@JvmOverloads
public fun <T : Any> Mono<T>.retry(
    retrier: Retrier,
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
): Mono<T> = MonoRetry<T, T>(retrier, options, scheduler, MadeAttempt { this }, asOutcome = false).assembled()

/**
 * [retry] that gives how the call ended, and fails only by cancellation. The value of a mono that completed empty is `null`.
 */
@JvmOverloads
public fun <T : Any> Mono<T>.outcome(
    retrier: Retrier,
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
): Mono<RetryOutcome<T?>> =
    MonoRetry<T, RetryOutcome<T?>>(retrier, options, scheduler, MadeAttempt { this }, asOutcome = true).assembled()

/** [Mono.retry][retry] of the mono that [make] returns for each attempt. An exception from [make] fails its attempt. */
@JvmOverloads
public fun <T : Any> Retrier.mono(
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
    make: (Attempt) -> Mono<T>,
): Mono<T> = MonoRetry<T, T>(this, options, scheduler, MadeAttempt(make), asOutcome = false).assembled()

/**
 * Subscribes to this flux again when it fails before its first element, as [retrier]'s policy says. Each subscription is
 * one call. Once an element was passed on nothing is repeated: a failure after that is passed on, with its trace, and the
 * call gives up as not replayable.
 *
 * A flux that completes has succeeded; no classifier is asked about elements. So has one whose subscriber cancels after the
 * first element; before that, cancelling ends the call as a mono's does. The policy's attempt timeout holds until the first
 * element, its deadline until the end: a flux that is still going is cut off then. Demand of the subscriber is passed on to
 * the attempt under way.
 *
 * For [scheduler], context and cancellation see [Mono.retry][retry].
 */
@JvmOverloads
public fun <T : Any> Flux<T>.retry(
    retrier: Retrier,
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
): Flux<T> = FluxRetry(retrier, options, scheduler) { this }.assembled()

/** [Flux.retry][retry] of the flux that [make] returns for each attempt. An exception from [make] fails its attempt. */
@JvmOverloads
public fun <T : Any> Retrier.flux(
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
    make: (Attempt) -> Flux<T>,
): Flux<T> = FluxRetry(this, options, scheduler, make).assembled()

/** A call of [attempts], one for each subscription. Unless [attempts] is stateless, put it into a `Mono.defer`. */
@ShellApi
@JvmOverloads
public fun <T : Any> Retrier.mono(
    attempts: MonoAttempt<T>,
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
): Mono<T> = MonoRetry<T, T>(this, options, scheduler, attempts, asOutcome = false).assembled()

/** [mono] that gives how the call ended. */
@ShellApi
@JvmOverloads
public fun <T : Any> Retrier.outcome(
    attempts: MonoAttempt<T>,
    options: CallOptions = CallOptions.DEFAULT,
    scheduler: Scheduler? = null,
): Mono<RetryOutcome<T?>> =
    MonoRetry<T, RetryOutcome<T?>>(this, options, scheduler, attempts, asOutcome = true).assembled()
