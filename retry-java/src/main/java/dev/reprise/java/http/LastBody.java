package dev.reprise.java.http;

import static dev.reprise.core.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaWaiter;
import java.net.http.HttpResponse;

/**
 * Delivers the response that a call ends with. Its body may have been held until the end was known; the limits of its
 * attempt hold until that body is there, and what it fails with carries the call's trace.
 */
final class LastBody<T> {
    private final ResponseFuture<HttpResponse<T>> response;

    LastBody(ResponseFuture<HttpResponse<T>> response) {
        this.response = response;
    }

    /** Completes the response with what {@code call} ended with. */
    @SuppressWarnings("unchecked")
    void deliver(RetryOutcome<ResponseOutcome> call, Exchange<T> exchange) {
        ResponseOutcome outcome;
        try {
            outcome = call.getOrThrow();
        } catch (Throwable e) {
            if (call instanceof RetryOutcome.BadResult<ResponseOutcome> bad) exchange.discard(bad.getValue());
            response.deliverFailure(e);
            return;
        }
        if (outcome.held == null) {
            if (!response.deliver((HttpResponse<T>) outcome.response)) exchange.discard(outcome);
        } else if (response.isDone()) {
            exchange.discard(outcome);
        } else {
            deliverHeld((HeldBody<T>) outcome.held, outcome, call.getTrace());
        }
    }

    private void deliverHeld(HeldBody<T> held, ResponseOutcome outcome, RetryTrace trace) {
        response.stoppedBy(held::cancel);
        long limit = outcome.attempt.getTimeLeftNanos();
        Runnable timer = limit == UNLIMITED_NANOS ? () -> {} : limit(limit, held, outcome, trace);
        try {
            held.deliver().handle((body, failure) -> {
                timer.run();
                if (failure != null) response.deliverFailure(traced(failure, trace));
                else response.deliver(new DeliveredResponse<>(outcome.response, body));
                return null;
            });
        } catch (Throwable e) {
            timer.run();
            held.cancel();
            response.deliverFailure(traced(e, trace));
        }
    }

    private Runnable limit(long nanos, HeldBody<T> held, ResponseOutcome outcome, RetryTrace trace) {
        Runnable expire = () -> {
            response.deliverFailure(traced(new AttemptTimeoutException(outcome.attempt.getNumber(), nanos), trace));
            held.cancel();
        };
        return JavaWaiter.SYSTEM.after(Math.max(nanos, 1), expire);
    }

    private static Throwable traced(Throwable failure, RetryTrace trace) {
        if (trace != null && failure != trace && RetryTrace.of(failure) == null) failure.addSuppressed(trace);
        return failure;
    }
}
