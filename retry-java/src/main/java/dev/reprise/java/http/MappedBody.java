package dev.reprise.java.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** The body of {@code source}, mapped once it is there. */
record MappedBody<T, U>(BodySubscriber<T> source, boolean isSourceFresh, Function<? super T, ? extends U> mapper)
        implements BodySubscriber<U> {
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
    public CompletionStage<U> getBody() {
        return source.getBody().thenApply(mapper);
    }
}
