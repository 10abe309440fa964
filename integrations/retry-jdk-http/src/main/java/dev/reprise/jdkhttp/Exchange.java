package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.http.HttpCall;
import dev.reprise.java.AsyncAttempt;
import dev.reprise.java.BlockingAttempt;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;

/**
 * The attempts of one request, whose executions share nothing but their {@link Delivery}. The body of a response that
 * may be rejected is held until that is known. Any other goes straight to the caller's handler; the deliveries there
 * decide whether another attempt may follow.
 */
final class Exchange<T> implements BlockingAttempt<ResponseOutcome, Exception>, AsyncAttempt<ResponseOutcome> {
    private final HttpClient client;
    private final CallWaits waits;
    private final AttemptRequests requests;
    private final long drainBytes;
    private final boolean mayRunTwice;
    final BodyHandler<T> handler;
    final HttpCall<JavaRetrier> call;

    private volatile Delivery delivery;

    /** The attempts of {@code requests} under the rules of {@code call}. */
    Exchange(
            HttpClient client,
            CallWaits waits,
            AttemptRequests requests,
            BodyHandler<T> handler,
            HttpCall<JavaRetrier> call,
            long drainBytes) {
        this.client = client;
        this.waits = waits;
        this.requests = requests;
        this.handler = handler;
        this.call = call;
        this.drainBytes = drainBytes;
        // Another handler may hand out a body while it arrives.
        mayRunTwice = FreshBodies.areFresh(handler);
    }

    /** Whether two responses may be received at once, of which the caller gets one. */
    @Override
    public boolean mayRunTwice() {
        return mayRunTwice;
    }

    @Override
    public ResponseOutcome make(Attempt attempt) throws Exception {
        Reception<T> current = receive(attempt);
        waits.attemptBegins(attempt);
        try {
            return current.of(client.send(requests.of(attempt), current));
        } catch (InterruptedException e) {
            current.abandon();
            throw e;
        } catch (Throwable e) {
            throw Failures.<Exception>rethrow(current.failed(e).get());
        } finally {
            waits.attemptEnds();
        }
    }

    @Override
    public CompletableFuture<ResponseOutcome> start(Attempt attempt) {
        Reception<T> current = receive(attempt);
        waits.attemptBegins(attempt);
        CompletableFuture<HttpResponse<Object>> sent = client.sendAsync(requests.of(attempt), current);
        ResponseFuture<ResponseOutcome> received = new ResponseFuture<>();
        received.stoppedBy(() -> sent.cancel(true));
        sent.handle((response, failure) -> {
            if (failure != null) current.failed(failure).thenAccept(received::fails);
            else if (!received.arrives(current.of(response))) discard(current.outcome());
            return null;
        });
        return received;
    }

    /** Whether there may be another execution of {@code attempt}. */
    boolean mayHaveCopy(Attempt attempt) {
        boolean isFirst = attempt.getNumber() == 1 || attempt.isCopy();
        return isFirst && mayRunTwice && call.getPolicy().getHedge() != null;
    }

    /** An execution of {@code attempt} begins: the first and its copy in any order. */
    private synchronized Reception<T> receive(Attempt attempt) {
        if (delivery == null || delivery.isClosed()) delivery = new Delivery();
        return new Reception<>(this, attempt, delivery);
    }

    /** {@code sent}, the request of a response, as the caller may send it again. */
    HttpRequest unnumbered(HttpRequest sent) {
        return requests.unnumbered(sent);
    }

    /**
     * The exception of the caller's code after one of two executions delivered to it; null if there is none. The other
     * is void.
     */
    Throwable failureOfHandler() {
        Delivery current = delivery;
        return current == null ? null : current.failure();
    }

    /** Not once a part of a response was delivered, nor once a body that can be sent once was opened. */
    @Override
    public boolean mayRepeat() {
        waits.mayBegin();
        Delivery current = delivery;
        return !requests.isSpent() && (current == null || current.closes());
    }

    @Override
    public void discard(ResponseOutcome outcome) {
        if (outcome.held == null) close(outcome.response.body());
        // A stream of HTTP/2 costs no connection, and the retry may need its place.
        else if (outcome.response.version() == HttpClient.Version.HTTP_2) outcome.held.cancel();
        else outcome.held.discard(drainBytes);
    }

    /** A response that is not delivered holds a connection. */
    @Override
    public boolean releasesBeforeWait() {
        return true;
    }

    /** A body that the caller's handler made, such as a stream. */
    private static void close(Object body) {
        if (!(body instanceof AutoCloseable open)) return;
        try {
            open.close();
        } catch (Exception e) {
            // The attempt's response is not delivered, and neither is this.
        }
    }
}
