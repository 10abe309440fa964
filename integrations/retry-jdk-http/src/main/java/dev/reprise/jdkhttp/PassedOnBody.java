package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;

/** A body that {@code source} receives, signal by signal; what becomes of it then is the subclass's. */
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
