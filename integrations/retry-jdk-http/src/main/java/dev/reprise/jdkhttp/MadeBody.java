package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * The body that is made of {@code source}'s, once that is there.
 *
 * @param isFresh whether the source starts afresh in each attempt
 */
record MadeBody<S, T>(
        BodySubscriber<S> source, boolean isFresh, Function<CompletionStage<S>, CompletionStage<T>> making)
        implements BodySubscriber<T> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        source.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
        source.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
        source.onError(failure);
    }

    @Override
    public void onComplete() {
        source.onComplete();
    }

    @Override
    public CompletionStage<T> getBody() {
        return making.apply(source.getBody());
    }
}
