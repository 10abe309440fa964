package dev.reprise.java.http;

import dev.reprise.core.Attempt;
import dev.reprise.core.BadResultException;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.classify.Verdict;
import dev.reprise.java.AsyncAttempt;
import dev.reprise.java.BlockingAttempt;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The attempts of one request. The body of a response that may be rejected is held until that is known; any other goes
 * straight to the caller's handler.
 */
final class Exchange<T> implements BlockingAttempt<ResponseOutcome, Exception>, AsyncAttempt<ResponseOutcome> {
    private final HttpClient client;
    private final AttemptRequests requests;
    private final BodyHandler<T> handler;
    private final RetryPolicy policy;
    private final long drainBytes;

    Exchange(HttpClient client, AttemptRequests requests, BodyHandler<T> handler, RetryPolicy policy, long drainBytes) {
        this.client = client;
        this.requests = requests;
        this.handler = handler;
        this.policy = policy;
        this.drainBytes = drainBytes;
    }

    @Override
    public ResponseOutcome make(Attempt attempt) throws Exception {
        Reception reception = new Reception(attempt.isLast());
        return reception.of(client.send(requests.of(attempt), reception));
    }

    @Override
    public CompletableFuture<ResponseOutcome> start(Attempt attempt) {
        Reception reception = new Reception(attempt.isLast());
        CompletableFuture<HttpResponse<Object>> sent = client.sendAsync(requests.of(attempt), reception);
        LinkedFuture<ResponseOutcome> received = new LinkedFuture<>(sent);
        sent.handle((response, failure) -> {
            if (failure != null) received.completeExceptionally(failure);
            else if (!received.complete(reception.of(response))) discard(reception.outcome);
            return null;
        });
        return received;
    }

    @Override
    public void discard(ResponseOutcome outcome) {
        if (outcome.held != null) outcome.held.discard(drainBytes);
        else close(outcome.response.body());
    }

    /** A response that is not delivered holds a connection. */
    @Override
    public boolean releasesBeforeWait() {
        return true;
    }

    /** The response of the last attempt, whole: waits for a body that was held. */
    @SuppressWarnings("unchecked")
    HttpResponse<T> delivered(ResponseOutcome outcome) throws IOException, InterruptedException {
        if (outcome.held == null) return (HttpResponse<T>) outcome.response;
        LinkedFuture<HttpResponse<T>> response = new LinkedFuture<>(CompletableFuture.completedFuture(null));
        deliver(outcome, response);
        try {
            return response.get();
        } catch (InterruptedException e) {
            outcome.held.cancel();
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException own) throw own;
            throw new IOException(e.getCause());
        }
    }

    /** Completes {@code response} with that of the last attempt, when its body is there. */
    @SuppressWarnings("unchecked")
    void deliver(ResponseOutcome outcome, CompletableFuture<HttpResponse<T>> response) {
        if (outcome.held == null) {
            response.complete((HttpResponse<T>) outcome.response);
            return;
        }
        try {
            ((HeldBody<T>) outcome.held).deliver().handle((body, failure) -> {
                if (failure != null) response.completeExceptionally(failure);
                else response.complete(new DeliveredResponse<>(outcome.response, body));
                return null;
            });
        } catch (RuntimeException e) {
            outcome.held.cancel();
            response.completeExceptionally(e);
        }
    }

    /** {@code failure}, and nobody gets the response that it may carry. */
    <F extends Throwable> F dropping(F failure) {
        if (failure instanceof BadResultException bad && bad.getResult() instanceof ResponseOutcome outcome)
            discard(outcome);
        return failure;
    }

    /** A body that the caller's handler made, such as a stream. */
    private static void close(Object body) {
        if (!(body instanceof AutoCloseable open)) return;
        try {
            open.close();
        } catch (Exception e) {
            // Nobody wants it.
        }
    }

    /** Takes the headers of one response, and decides where its body goes. */
    private final class Reception implements BodyHandler<Object> {
        private final boolean isLast;
        private volatile ResponseOutcome outcome;

        Reception(boolean isLast) {
            this.isLast = isLast;
        }

        @Override
        @SuppressWarnings("unchecked")
        public BodySubscriber<Object> apply(ResponseInfo info) {
            ResponseOutcome plain = new ResponseOutcome(info.statusCode(), info.headers(), null);
            if (isLast || !(policy.getClassifier().classifyResult(plain) instanceof Verdict.Retry)) {
                outcome = plain;
                return (BodySubscriber<Object>) handler.apply(info);
            }
            HeldBody<T> held = new HeldBody<>(info, handler);
            outcome = new ResponseOutcome(info.statusCode(), info.headers(), held);
            return held;
        }

        ResponseOutcome of(HttpResponse<Object> response) {
            outcome.response = response;
            return outcome;
        }
    }
}
