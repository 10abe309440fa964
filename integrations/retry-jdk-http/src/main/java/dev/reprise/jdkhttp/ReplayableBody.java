package dev.reprise.jdkhttp;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/**
 * Declares that a body can be sent again: every subscriber gets it whole. {@link RetryingHttpClient} knows that of
 * strings, byte arrays and files. It sends streams and publishers of unknown kind once, unless they are wrapped in
 * this.
 */
public final class ReplayableBody implements BodyPublisher {
    private final BodyPublisher body;

    private ReplayableBody(BodyPublisher body) {
        this.body = body;
    }

    /** {@code body}, which can be sent again. */
    public static BodyPublisher of(BodyPublisher body) {
        return new ReplayableBody(body);
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        body.subscribe(subscriber);
    }
}
