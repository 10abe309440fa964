package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;

/** Takes the head of one attempt's response, and decides where its body goes: to the caller's handler, or on hold. */
final class Reception<T> implements BodyHandler<Object> {
    private static final int FIRST_FAILURE = 400;

    private final Exchange<T> exchange;
    private final Attempt attempt;
    private final Delivery delivery;
    private volatile ResponseOutcome outcome;
    private volatile boolean isAbandoned;
    private volatile AttemptTimeoutException timeout;

    /** The reception of an {@code attempt}, which has the {@code delivery} in common with its other execution. */
    Reception(Exchange<T> exchange, Attempt attempt, Delivery delivery) {
        this.exchange = exchange;
        this.attempt = attempt;
        this.delivery = delivery;
    }

    @Override
    @SuppressWarnings("unchecked")
    public BodySubscriber<Object> apply(ResponseInfo info) {
        // Nothing could retry it later: a call that accepts it has no time left for its body.
        if (attempt.getTimeLeftNanos() == 0) {
            timeout = new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos());
            abandon();
        }
        if (isClosed()) return refused();
        ResponseOutcome head = new ResponseOutcome(info.statusCode(), info.headers(), attempt);
        int peekBytes = exchange.call.getPeek().bytesOf(info.statusCode());
        if (peekBytes == 0 && !mayBeRejected(head)) {
            outcome = head;
            return (BodySubscriber<Object>) subscriber(info);
        }
        HeldBody<T> held = new HeldBody<>(info, exchange.handler, peekBytes);
        head.held = held;
        outcome = head;
        if (isAbandoned) held.cancel();
        return held;
    }

    /**
     * The attempt has ended without a response: releases its held parts, and those that still come. A client that is
     * told to cancel does not close the connection of a response that it has handed out.
     */
    void abandon() {
        isAbandoned = true;
        ResponseOutcome known = outcome;
        if (known != null && known.held != null) known.held.cancel();
    }

    /**
     * Whether the caller may not get the response of this head: because another attempt may follow it, because the
     * other execution may replace it, or because the policy throws in its place. A call whose classifier throws ends
     * with that, and discards the response. A failure waits for the end of its call too: if its body breaks off it is
     * still that failure, which the status judges.
     */
    private boolean mayBeRejected(ResponseOutcome head) {
        try {
            RetryPolicy policy = exchange.call.getPolicy();
            Verdict verdict = head.verdictOf(policy);
            if (policy.getOnBadResult() == OnBadResult.THROW && !(verdict instanceof Verdict.Accept)) return true;
            if (attempt.isLast() && !exchange.mayHaveCopy(attempt)) return false;
            Repeat repeat = exchange.call.getOptions().getRepeat();
            return head.getStatus() >= FIRST_FAILURE
                    || verdict instanceof Verdict.Retry retry
                            && (repeat == Repeat.SAFE || repeat == Repeat.IF_UNSENT && retry.getUnsent());
        } catch (Throwable e) {
            return true;
        }
    }

    /** Cancels a body that must not be delivered, and fails. */
    @SuppressWarnings("unchecked")
    private BodySubscriber<Object> refused() {
        return (BodySubscriber<Object>) new GuardedBody<>((BodySubscriber<T>) BodySubscribers.discarding(), this, true);
    }

    /** The caller's subscriber. An exception of its handler is the caller's own failure, and final. */
    private BodySubscriber<T> subscriber(ResponseInfo info) {
        try {
            return FreshBodies.guard(exchange.handler, exchange.handler.apply(info), this);
        } catch (Throwable e) {
            begins();
            throw e;
        }
    }

    /**
     * Something reaches the caller's code now. Returns false, and it must not, if the call has gone on without this.
     */
    boolean begins() {
        return isAbandoned ? delivery.isOf(this) : delivery.begins(this);
    }

    /** Whether the call has gone on without this. */
    boolean isClosed() {
        return isAbandoned ? !delivery.isOf(this) : delivery.isClosedTo(this);
    }

    /**
     * The execution has {@code thrown}. Returns the failure with which it ends, at that time: an execution that another
     * has overtaken does not end before that one, which may have delivered to the caller's code.
     */
    CompletableFuture<Throwable> failed(Throwable thrown) {
        abandon();
        Throwable failure = timeout == null ? thrown : timeout;
        delivery.failed(this, failure);
        return delivery.failureOf(this, failure);
    }

    /**
     * The outcome, as {@code response}. The JDK's client asks no handler about a proxy that wants credentials before it
     * opens a tunnel, nor does a client that stands in for it in a test: such a response has the body that it brings.
     */
    ResponseOutcome of(HttpResponse<Object> response) {
        if (outcome == null) outcome = new ResponseOutcome(response.statusCode(), response.headers(), attempt);
        return outcome.of(response);
    }

    /** The outcome as far as it is known, or null. */
    ResponseOutcome outcome() {
        return outcome;
    }
}
