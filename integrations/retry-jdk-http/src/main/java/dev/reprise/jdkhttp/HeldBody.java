package dev.reprise.jdkhttp;

import dev.reprise.core.shell.http.BodyPeek;
import dev.reprise.java.JavaWaiter;
import dev.reprise.java.internal.Elsewhere;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The body of a response that may be rejected: nothing of it is delivered before that is known. Then it is either given
 * to the caller's handler or discarded; so a handler that writes to a file never sees a body that is not for it.
 *
 * <p>The first {@code peekBytes} are read meanwhile, and one more that says whether there are more, for a second at
 * most, so that the policy can look at them; the handler gets them too. Zero reads nothing.
 */
final class HeldBody<T> implements BodySubscriber<Object>, Flow.Subscription {
    private static final Duration LONGEST_PEEK = Duration.ofNanos(BodyPeek.LONGEST_NANOS);

    private final ResponseInfo info;
    private final BodyHandler<T> handler;
    private final int peekBytes;
    private final CompletableFuture<Object> head = new CompletableFuture<>();
    private final CompletableFuture<T> delivered = new CompletableFuture<>();

    // Guarded by this.
    private final ArrayDeque<List<ByteBuffer>> queue = new ArrayDeque<>();
    private Flow.Subscription source;
    private Flow.Subscriber<List<ByteBuffer>> target;
    private long demand;
    private long asked;
    private boolean isCancelled;
    private boolean isOver;
    private long received;
    private boolean hasBegun;
    private boolean hasEnded;
    private boolean isEmitting;
    private Throwable failure;
    private Runnable timer;

    HeldBody(ResponseInfo info, BodyHandler<T> handler, int peekBytes) {
        this.info = info;
        this.handler = handler;
        this.peekBytes = peekBytes;
        if (peekBytes == 0) head.complete(null);
    }

    /** Gives the body to the caller's handler. What its subscriber throws is the end, whatever that makes of it. */
    CompletionStage<T> deliver() {
        BodySubscriber<T> subscriber = handler.apply(info);
        subscriber.getBody().whenComplete((body, failure) -> {
            if (failure == null) delivered.complete(body);
            else delivered.completeExceptionally(failure);
        });
        flowTo(subscriber);
        return delivered;
    }

    /** Reads at most {@code limit} bytes, so that the connection can be used again, and closes it if there are more. */
    void discard(long limit) {
        flowTo(new Drain(limit));
    }

    /** Whether the whole body is there, and no longer than the policy looks at. */
    synchronized boolean isWhole() {
        return isOver && failure == null && received <= peekBytes;
    }

    /**
     * The bytes that are there of the body, one more than the policy looks at if there are; null if it looks at none.
     */
    synchronized byte[] read() {
        if (peekBytes == 0) return null;
        ByteBuffer read = ByteBuffer.allocate((int) Math.min(received, peekBytes + 1L));
        for (List<ByteBuffer> item : queue) {
            for (ByteBuffer buffer : item) {
                int size = Math.min(buffer.remaining(), read.remaining());
                read.put(buffer.duplicate().limit(buffer.position() + size));
            }
        }
        return read.array();
    }

    /** Ends when as much was read as the policy looks at. */
    @Override
    public CompletionStage<Object> getBody() {
        return head;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        boolean cancels;
        synchronized (this) {
            source = subscription;
            cancels = isCancelled;
        }
        if (cancels) {
            subscription.cancel();
            return;
        }
        if (!head.isDone()) {
            // On another thread: the call continues with the bytes that were read, and must not delay the one thread of
            // all timers.
            timer = Elsewhere.after(JavaWaiter.SYSTEM, LONGEST_PEEK, this::endPeek);
            head.whenComplete((nothing, thrown) -> timer.run());
            askFor(1);
        }
        begin();
    }

    private void flowTo(Flow.Subscriber<List<ByteBuffer>> target) {
        synchronized (this) {
            this.target = target;
        }
        begin();
    }

    /** Subscribes the target, once, when both it and the source are there. The target hears of nothing before that. */
    private void begin() {
        synchronized (this) {
            if (hasBegun || source == null || target == null) return;
            hasBegun = true;
            isEmitting = true;
        }
        tell(() -> target.onSubscribe(this));
        emit();
    }

    /** The target wants {@code count} items more: first those that were read before. */
    @Override
    public void request(long count) {
        long more;
        synchronized (this) {
            demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
            more = demand - queue.size() - asked;
        }
        if (more > 0) askFor(more);
        emit();
    }

    private void askFor(long count) {
        synchronized (this) {
            if (isOver || isCancelled) return;
            asked = asked + count < 0 ? Long.MAX_VALUE : asked + count;
        }
        source.request(count);
    }

    /** Closes the connection, if there is more to come. */
    @Override
    public void cancel() {
        Flow.Subscription subscribed;
        synchronized (this) {
            isCancelled = true;
            subscribed = source;
        }
        if (subscribed != null) subscribed.cancel();
        endPeek();
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
        boolean isEnough;
        synchronized (this) {
            if (asked != Long.MAX_VALUE) asked--;
            queue.add(item);
            for (ByteBuffer buffer : item) received += buffer.remaining();
            isEnough = received > peekBytes;
        }
        if (isEnough) endPeek();
        else if (!head.isDone()) askFor(1);
        emit();
    }

    @Override
    public void onError(Throwable failure) {
        Flow.Subscription failed;
        synchronized (this) {
            this.failure = failure;
            failed = source;
        }
        // A failure is one with half a body too; a good response is not.
        if (info.statusCode() < 300) head.completeExceptionally(failure);
        onComplete();
        // A client that was told to cancel keeps what it has received, and itself busy, until that is asked for or let
        // go.
        if (failed != null) failed.cancel();
    }

    @Override
    public void onComplete() {
        synchronized (this) {
            isOver = true;
        }
        endPeek();
        emit();
    }

    private void endPeek() {
        head.complete(null);
    }

    /**
     * Gives the target the items that it wants, as far as they are there, on one thread at a time, and never inside
     * itself.
     */
    private void emit() {
        while (true) {
            List<ByteBuffer> item;
            synchronized (this) {
                if (!hasBegun || isEmitting || hasEnded || isCancelled) return;
                boolean hasItem = demand > 0 && !queue.isEmpty();
                if (!hasItem && !(isOver && queue.isEmpty())) return;
                item = hasItem ? queue.poll() : null;
                if (hasItem && demand != Long.MAX_VALUE) demand--;
                hasEnded = !hasItem;
                isEmitting = true;
            }
            tell(() -> {
                if (item != null) target.onNext(item);
                else if (failure == null) target.onComplete();
                else target.onError(failure);
            });
        }
    }

    /** Makes a {@code call} of the target, which {@link #isEmitting} keeps alone. */
    private void tell(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            delivered.completeExceptionally(e);
            throw e;
        } finally {
            synchronized (this) {
                isEmitting = false;
            }
        }
    }
}
