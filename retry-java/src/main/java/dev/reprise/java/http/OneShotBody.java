package dev.reprise.java.http;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** A body that may be gone once it was read: it is opened once, whatever is sent. */
final class OneShotBody implements BodyPublisher {
    private final BodyPublisher body;
    private final AtomicBoolean isOpened = new AtomicBoolean();

    OneShotBody(BodyPublisher body) {
        this.body = body;
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
        if (isOpened.compareAndSet(false, true)) body.subscribe(subscriber);
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
