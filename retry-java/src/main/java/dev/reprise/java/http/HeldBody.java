package dev.reprise.java.http;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The body of a response that may be rejected: not read before that is known. Then it is either delivered to the
 * handler that the caller gave, or discarded; so a handler that writes to a file never sees a body that is not for it.
 */
final class HeldBody<T> implements BodySubscriber<Object> {
    private final ResponseInfo info;
    private final BodyHandler<T> handler;
    private Flow.Subscription subscription;
    private Flow.Subscriber<List<ByteBuffer>> target;
    private boolean isFlowing;
    private boolean isOver;
    private Throwable failure;

    HeldBody(ResponseInfo info, BodyHandler<T> handler) {
        this.info = info;
        this.handler = handler;
    }

    /** Gives the body to the caller's handler. */
    CompletionStage<T> deliver() {
        BodySubscriber<T> subscriber = handler.apply(info);
        flowTo(subscriber);
        return subscriber.getBody();
    }

    /** Reads at most {@code limit} bytes, so that the connection can be used again, and closes it if there are more. */
    void discard(long limit) {
        flowTo(new Drain(limit));
    }

    /** Closes the connection. */
    void cancel() {
        Flow.Subscription subscribed;
        synchronized (this) {
            subscribed = subscription;
        }
        if (subscribed != null) subscribed.cancel();
    }

    /** Ends at once: the response is a response as soon as its headers are there. */
    @Override
    public CompletionStage<Object> getBody() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        synchronized (this) {
            this.subscription = subscription;
            if (target == null) return;
        }
        begin();
    }

    private void flowTo(Flow.Subscriber<List<ByteBuffer>> target) {
        synchronized (this) {
            this.target = target;
            if (subscription == null) return;
        }
        begin();
    }

    private void begin() {
        target.onSubscribe(subscription);
        synchronized (this) {
            isFlowing = true;
            if (!isOver) return;
        }
        end();
    }

    /** Nothing flows before the target asks for it. */
    @Override
    public void onNext(List<ByteBuffer> item) {
        target.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
        this.failure = failure;
        onComplete();
    }

    /** A body may be over without a byte, and long before anybody wants it. */
    @Override
    public void onComplete() {
        synchronized (this) {
            isOver = true;
            if (!isFlowing) return;
        }
        end();
    }

    private void end() {
        if (failure == null) target.onComplete();
        else target.onError(failure);
    }
}
