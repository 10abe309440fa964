package dev.reprise.jdkhttp;

import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.http.HttpCall;
import dev.reprise.coroutines.shell.FutureWaits;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.internal.HttpFaces;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * An {@link HttpClient} that retries the requests of another one.
 *
 * <pre>{@code
 * HttpClient client = RetryingHttpClient.of(HttpClient.newHttpClient());
 * }</pre>
 *
 * <p>The policy's classifier judges statuses, the {@code x-amzn-errortype} header and exceptions. The waits are the
 * backoff's, or the server's delay in {@code x-amz-retry-after} or {@code Retry-After}. Calls to one host and port
 * share a quota. The last response is returned with any status; the last exception is thrown unchanged.
 *
 * <p><b>What is repeated.</b> Requests with an idempotent method, and others with an idempotency key. Any other is
 * repeated only after a failure that proves that nothing was sent, such as a refused connection. So is one with a body
 * that can be sent only once (from a stream, an iterable or a publisher of unknown kind, unless in a
 * {@link ReplayableBody}), as long as no connection has opened that body. What a body fails with is final.
 *
 * <p><b>Bodies.</b> The body handler sees one response: the caller's. The body of a rejected response is read up to a
 * limit, so that its connection can be used again, or its connection is closed. A good response whose body is cut off
 * is repeated only if nothing of it can have reached the caller: with {@code ofString}, {@code ofByteArray},
 * {@code discarding}, {@code replacing}, and the handlers of {@link RetryBodyHandlers}. With any other handler a
 * response is final once its subscriber has been subscribed. Exceptions of the caller's own handler are never retried.
 *
 * <p><b>Copies.</b> Under a policy with a {@link dev.reprise.core.Hedge} a slow first attempt of a request that may be
 * repeated gets a copy if the handler is one of those: both responses are received, and one is delivered.
 *
 * <p><b>Limits.</b> The policy's deadline and attempt timeout hold until the handler's body has arrived, also that of
 * the failure that ends the call. For a streaming handler such as {@code ofInputStream} they hold until the head has
 * arrived.
 *
 * <p>Interruption of {@link #send} ends the request at once, in an attempt or in a wait. So does completing the future
 * of {@link #sendAsync} from outside, and {@code cancel(true)} of a derived future. Requests with a push promise
 * handler are sent once. {@link #close} ends waits at once. Thread-safe.
 */
public final class RetryingHttpClient extends HttpClient implements AutoCloseable {
    private final HttpClient client;
    private final HttpSettings settings;
    private final OpenWaits open = new OpenWaits();

    RetryingHttpClient(HttpClient client, HttpSettings settings) {
        this.client = client;
        this.settings = settings;
    }

    /** Retries what {@code client} sends, by {@link RetryPolicy#HTTP}. */
    public static RetryingHttpClient of(HttpClient client) {
        return around(client).build();
    }

    /** A builder of a client that retries what {@code client} sends. */
    public static RetryingHttpClientBuilder around(HttpClient client) {
        return new RetryingHttpClientBuilder(client);
    }

    /**
     * Sends {@code request} until a response is accepted or the policy gives up, on this thread.
     *
     * @throws IOException if the last attempt did, or if the client is closed; of an attempt that took too long an
     *     {@link java.net.http.HttpTimeoutException}
     * @throws InterruptedException at once when the thread is interrupted, in an attempt or in a wait
     */
    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        if (open.isClosed()) throw OpenWaits.closed(null);
        CallWaits waits = new CallWaits(open, null);
        Sending<T> sending = sending(request, handler, waits);
        ResponseFuture<HttpResponse<T>> response = new ResponseFuture<>();
        try {
            new LastBody<>(response, sending.retrier.waiter()).deliver(outcome(sending, waits), sending.exchange);
            FutureWaits.park(response);
        } catch (InterruptedException e) {
            response.cancel(true);
            throw e;
        }
        Throwable failure = FutureWaits.failureOf(response);
        if (failure != null) throw Failures.thrownBySend(Failures.withoutWrapper(failure));
        return response.join();
    }

    /** Makes the attempts. A wait that the close of the client ends is a failure of the call. */
    private <T> RetryOutcome<ResponseOutcome> outcome(Sending<T> sending, CallWaits waits)
            throws IOException, InterruptedException {
        CancellationException cancellation;
        boolean wasClosed;
        try {
            return sending.retrier.outcomeWithAttempt(sending.exchange);
        } catch (CancellationException e) {
            cancellation = e;
        } finally {
            wasClosed = waits.end();
        }
        if (wasClosed || open.isClosed() && !Thread.currentThread().isInterrupted())
            throw OpenWaits.closed(cancellation);
        // The loop says with the thread's flag that it was interrupted.
        if (!Thread.interrupted()) throw cancellation;
        InterruptedException interrupt = new InterruptedException(cancellation.getMessage());
        interrupt.initCause(cancellation.getCause());
        throw interrupt;
    }

    /**
     * Sends {@code request} until a response is accepted or the policy gives up, and holds no thread while it waits.
     * The future fails with the exception that {@link #send} would throw; cancelling it ends the request. So does
     * closing the client while it waits, with an {@link IOException}.
     */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        if (open.isClosed()) return CompletableFuture.failedFuture(OpenWaits.closed(null));
        ResponseFuture<HttpResponse<T>> response = new ResponseFuture<>();
        CallWaits waits = new CallWaits(open, () -> response.completeExceptionally(OpenWaits.closed(null)));
        Sending<T> sending = sending(request, handler, waits);
        CompletableFuture<RetryOutcome<ResponseOutcome>> call =
                sending.retrier.outcomeAsyncWithAttempt(sending.exchange);
        response.stoppedBy(() -> call.cancel(true));
        LastBody<T> last = new LastBody<>(response, sending.retrier.waiter());
        call.handle((outcome, failure) -> {
            waits.end();
            if (failure != null) response.fails(ended(Failures.withoutWrapper(failure)));
            else last.deliver(outcome, sending.exchange);
            return null;
        });
        return response;
    }

    /** The {@code failure} of a call, or that the client was closed if it was cancelled for that. */
    private Throwable ended(Throwable failure) {
        return failure instanceof CancellationException && open.isClosed() ? OpenWaits.closed(failure) : failure;
    }

    /** Sends {@code request} once if there is a {@code pushPromiseHandler}: pushed responses cannot be taken back. */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushPromiseHandler) {
        if (pushPromiseHandler == null) return sendAsync(request, handler);
        if (open.isClosed()) return CompletableFuture.failedFuture(OpenWaits.closed(null));
        return client.sendAsync(request, handler, pushPromiseHandler);
    }

    private <T> Sending<T> sending(HttpRequest request, BodyHandler<T> handler, CallWaits waits) {
        boolean followsRedirects = client.followRedirects() != Redirect.NEVER;
        HttpCall<JavaRetrier> call = settings.call(request, followsRedirects);
        WatchedBody body = RequestBodies.watched(request, call.getOptions().getRepeat(), followsRedirects);
        AttemptRequests requests = new AttemptRequests(request, body, call.getHeaders());
        // The first wait may be for a send permit, before any attempt.
        if (HttpFaces.setup(call).isAdaptive()) waits.mayBegin();
        return new Sending<>(
                HttpFaces.named(call, request.method(), request.uri().getHost()),
                new Exchange<>(client, waits, requests, handler, call, settings.drainBytes()));
    }

    /** One call. */
    private record Sending<T>(JavaRetrier retrier, Exchange<T> exchange) {}

    /**
     * Ends all waits between attempts, whose calls fail with an {@link IOException}, and makes no attempt from now on.
     * Returns at once. An attempt in flight runs to its end. The wrapped client stays open; close it where you made it.
     */
    @Override
    public void close() {
        open.close();
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return client.newWebSocketBuilder();
    }

    @Override
    public String toString() {
        return "RetryingHttpClient(" + client + ")";
    }
}
