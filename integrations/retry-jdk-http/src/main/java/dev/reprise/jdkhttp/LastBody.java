package dev.reprise.jdkhttp;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.shell.layers.GiveUpMark;
import dev.reprise.java.JavaWaiter;
import dev.reprise.java.internal.Elsewhere;
import dev.reprise.java.internal.Timers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Delivers the final response of a call. Its body may have been held until the end was known. The limits of its attempt
 * hold until that body has arrived; a failure of the body carries the call's trace.
 *
 * @param waiter times the limits: the call's own, which uses the call's clock
 */
record LastBody<T>(ResponseFuture<HttpResponse<T>> response, JavaWaiter waiter) {
    /** Completes the response with the outcome of {@code call}. */
    @SuppressWarnings("unchecked")
    void deliver(RetryOutcome<ResponseOutcome> call, Exchange<T> exchange) {
        ResponseOutcome outcome;
        try {
            outcome = call.getOrThrow();
        } catch (Throwable e) {
            if (call instanceof RetryOutcome.BadResult<ResponseOutcome> bad) exchange.discard(bad.getValue());
            response.fails(e);
            return;
        }
        HttpRequest request = exchange.unnumbered(outcome.response.request());
        if (outcome.held == null) {
            if (!response.arrives(delivered((HttpResponse<T>) outcome.response, request, call.getGiveUpMark()))) {
                exchange.discard(outcome);
            }
        } else if (response.isDone()) {
            exchange.discard(outcome);
        } else if (exchange.failureOfHandler() != null) {
            exchange.discard(outcome);
            response.fails(traced(exchange.failureOfHandler(), call.getTrace()));
        } else {
            deliverHeld((HeldBody<T>) outcome.held, outcome, request, call);
        }
    }

    private static <T> HttpResponse<T> delivered(HttpResponse<T> response, HttpRequest request, GiveUpMark mark) {
        boolean isSame = mark == null && request == response.request();
        return isSame ? response : new DeliveredResponse<>(response, request, response.body(), mark);
    }

    private void deliverHeld(
            HeldBody<T> held, ResponseOutcome outcome, HttpRequest request, RetryOutcome<ResponseOutcome> call) {
        RetryTrace trace = call.getTrace();
        Runnable timer = null;
        try {
            timer = limit(held, outcome, trace);
            Runnable limit = timer;
            response.stoppedBy(() -> {
                Timers.stop(limit);
                held.cancel();
            });
            held.deliver().handle((body, failure) -> {
                Timers.stop(limit);
                if (failure != null) response.fails(traced(failure, trace));
                else response.arrives(new DeliveredResponse<>(outcome.response, request, body, call.getGiveUpMark()));
                return null;
            });
        } catch (Throwable e) {
            Timers.stop(timer);
            held.cancel();
            response.fails(traced(e, trace));
        }
    }

    /** Cuts the body off when its attempt has taken as long as it may. Returns what cancels that; null for no limit. */
    private Runnable limit(HeldBody<T> held, ResponseOutcome outcome, RetryTrace trace) {
        Attempt attempt = outcome.attempt;
        long nanos = attempt.getTimeLeftNanos();
        if (nanos == UNLIMITED_NANOS) return null;
        Runnable expire = () -> {
            response.fails(traced(new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos()), trace));
            held.cancel();
        };
        // On another thread: dependents of the response are users' code, and must not delay the one thread of all
        // timers.
        return waiter.after(Duration.ofNanos(Math.max(nanos, 1)), () -> Elsewhere.run(expire));
    }

    private static Throwable traced(Throwable failure, RetryTrace trace) {
        if (trace != null && failure != trace && RetryTrace.of(failure) == null) failure.addSuppressed(trace);
        return failure;
    }
}
