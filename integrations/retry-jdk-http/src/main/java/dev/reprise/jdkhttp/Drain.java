package dev.reprise.jdkhttp;

import dev.reprise.core.shell.http.BodyPeek;
import dev.reprise.java.JavaWaiter;
import dev.reprise.java.internal.Elsewhere;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * Reads the rest of a body that is not needed, as long as that is cheaper than a new connection; then closes this one.
 */
final class Drain implements Flow.Subscriber<List<ByteBuffer>> {
    private static final Duration LONGEST = Duration.ofNanos(BodyPeek.LONGEST_NANOS);

    private final long limit;
    private long seen;
    private Flow.Subscription subscription;
    private Runnable callOff;

    Drain(long limit) {
        this.limit = limit;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        callOff = Elsewhere.after(JavaWaiter.SYSTEM, LONGEST, subscription::cancel);
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
        for (ByteBuffer buffer : item) seen += buffer.remaining();
        if (seen <= limit) return;
        subscription.cancel();
        callOff.run();
    }

    @Override
    public void onError(Throwable failure) {
        callOff.run();
    }

    @Override
    public void onComplete() {
        callOff.run();
    }
}
