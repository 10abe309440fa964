package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;

/** Passes the signals of {@code source} to a subclass, which uses the body. */
abstract class PassedOnBody<S, T> implements BodySubscriber<T> {
    final BodySubscriber<S> source;

    PassedOnBody(BodySubscriber<S> source) {
        this.source = source;
    }

    @Override
    public final void onSubscribe(Flow.Subscription subscription) {
        source.onSubscribe(subscription);
    }

    @Override
    public final void onNext(List<ByteBuffer> item) {
        source.onNext(item);
    }

    @Override
    public final void onError(Throwable failure) {
        source.onError(failure);
    }

    @Override
    public final void onComplete() {
        source.onComplete();
    }
}
