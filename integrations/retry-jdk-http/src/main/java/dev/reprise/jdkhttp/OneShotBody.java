package dev.reprise.jdkhttp;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A body that must not be sent again after it was opened: because it may be gone then, or because the request may be
 * done then. A body that may be gone is opened once in all cases; the other kind may be opened again by a redirect.
 */
final class OneShotBody implements BodyPublisher {
    private final BodyPublisher body;
    private final boolean mayBeGone;
    private final AtomicBoolean isOpened = new AtomicBoolean();

    OneShotBody(BodyPublisher body, boolean mayBeGone) {
        this.body = body;
        this.mayBeGone = mayBeGone;
    }

    /** Whether it can be read only once, as far as is known. */
    boolean mayBeGone() {
        return mayBeGone;
    }

    /** Whether a connection has asked for its bytes. */
    boolean isOpened() {
        return isOpened.get();
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        if (isOpened.compareAndSet(false, true) || !mayBeGone) body.subscribe(subscriber);
        else refuse(subscriber);
    }

    private static void refuse(Flow.Subscriber<?> subscriber) {
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long count) {}

            @Override
            public void cancel() {}
        });
        subscriber.onError(new IOException("the body was opened before and can be sent only once"));
    }
}
