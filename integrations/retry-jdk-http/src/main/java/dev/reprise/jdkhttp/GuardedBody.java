package dev.reprise.jdkhttp;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The caller's subscriber, with a note of its deliveries. After the first delivery the attempt is the last one: a
 * consumer would get bytes twice, a file would mix two responses. A body that {@code startsAfresh} is repeated until it
 * is whole, and used once after that.
 *
 * <p>A body that fails though its transport did not has failed in the caller's own code, which is not retried either.
 */
final class GuardedBody<T> implements BodySubscriber<T> {
    private final BodySubscriber<T> body;
    private final Reception<T> reception;
    private final boolean startsAfresh;
    private final CompletableFuture<T> end = new CompletableFuture<>();
    private volatile boolean hasTransportFailed;

    GuardedBody(BodySubscriber<T> body, Reception<T> reception, boolean startsAfresh) {
        this.body = body;
        this.reception = reception;
        this.startsAfresh = startsAfresh;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (startsAfresh ? !reception.isClosed() : reception.begins()) {
            run(() -> body.onSubscribe(subscription));
        } else {
            subscription.cancel();
            end.completeExceptionally(ended());
        }
    }

    private static IOException ended() {
        return new IOException("the attempt has ended");
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
        run(() -> body.onNext(item));
    }

    /** Runs the caller's code. What it throws comes back from the client below as if the transport had failed. */
    private void run(Runnable own) {
        try {
            own.run();
        } catch (Throwable e) {
            reception.begins();
            throw e;
        }
    }

    @Override
    public void onError(Throwable failure) {
        hasTransportFailed = true;
        body.onError(failure);
    }

    @Override
    public void onComplete() {
        if (reception.begins()) body.onComplete();
        else onError(ended());
    }

    @Override
    public CompletionStage<T> getBody() {
        run(() -> body.getBody().whenComplete((result, failure) -> {
            if (failure != null && !hasTransportFailed) reception.begins();
            if (failure == null) end.complete(result);
            else end.completeExceptionally(failure);
        }));
        return end;
    }
}
