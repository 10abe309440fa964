package dev.reprise.jdkhttp;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The body of one call's requests, with a note of whether it must not be sent again: because it has failed, which
 * another attempt would not help, or, as the {@link Opening} says, because it was opened.
 */
final class WatchedBody implements BodyPublisher {
    /** The consequence of a connection having asked for the body. */
    enum Opening {
        /** Nothing: every subscriber gets it whole. */
        REPEATABLE,

        /** The request may be done. A redirect may open the body again. */
        MAY_BE_DONE,

        /** The body may be gone. It is opened once in all cases. */
        MAY_BE_GONE
    }

    /** The caller's own. */
    final BodyPublisher body;

    private final Opening opening;
    private final AtomicBoolean isOpened = new AtomicBoolean();
    private volatile boolean hasFailed;

    WatchedBody(BodyPublisher body, Opening opening) {
        this.body = body;
        this.opening = opening;
    }

    /** Whether it must not be sent again. */
    boolean isSpent() {
        return hasFailed || opening != Opening.REPEATABLE && isOpened.get();
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        boolean isFirst = isOpened.compareAndSet(false, true);
        if (!isFirst && opening == Opening.MAY_BE_GONE) {
            refuse(subscriber);
            return;
        }
        try {
            body.subscribe(new Noting(subscriber));
        } catch (Throwable e) {
            hasFailed = true;
            throw e;
        }
    }

    private static void refuse(Flow.Subscriber<? super ByteBuffer> subscriber) {
        String why =
                "the client asks for the body again, as after a redirect or a challenge, and it can be sent only once"
                        + " as far as is known: if every subscriber gets it whole, wrap it in ReplayableBody";
        try (SubmissionPublisher<ByteBuffer> none = new SubmissionPublisher<>(Runnable::run, 1)) {
            none.closeExceptionally(new IOException(why));
            none.subscribe(subscriber);
        }
    }

    /** Notes that the body has failed before the client hears of it. */
    private final class Noting implements Flow.Subscriber<ByteBuffer> {
        private final Flow.Subscriber<? super ByteBuffer> subscriber;

        Noting(Flow.Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(ByteBuffer item) {
            subscriber.onNext(item);
        }

        @Override
        public void onError(Throwable failure) {
            hasFailed = true;
            subscriber.onError(failure);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
        }
    }
}
