package dev.reprise.jdkhttp;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A client below whose one response, a 503, comes when the test says so, with a body that nothing has read yet. It does
 * not close its connection when its future is cancelled: what has been handed out is the handler's affair.
 */
final class HandmadeClient extends HttpClient implements Flow.Subscription {
    final CountDownLatch sent = new CountDownLatch(1);
    private final CompletableFuture<HttpResponse<?>> response = new CompletableFuture<>();
    private BodyHandler<?> handler;
    private BodySubscriber<?> subscriber;
    private volatile boolean isLetGo;

    /** The head comes: the handler gets it, and its subscriber the body. */
    void receive() {
        subscriber = handler.apply(new ResponseInfo() {
            @Override
            public int statusCode() {
                return 503;
            }

            @Override
            public HttpHeaders headers() {
                return HttpHeaders.of(Map.of("Content-Length", List.of("1000")), (name, value) -> true);
            }

            @Override
            public Version version() {
                return Version.HTTP_1_1;
            }
        });
        subscriber.onSubscribe(this);
    }

    /** The body fails, with a part of it unread. */
    void fail() {
        subscriber.onError(new IOException("cancelled"));
    }

    /** Whether the body was let go, so that its connection is free. */
    boolean isLetGo() {
        return isLetGo;
    }

    @Override
    public void request(long count) {}

    @Override
    public void cancel() {
        isLetGo = true;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler) throws InterruptedException {
        CompletableFuture<HttpResponse<T>> future = sendAsync(request, handler);
        try {
            return future.get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        this.handler = handler;
        sent.countDown();
        return (CompletableFuture<HttpResponse<T>>) (CompletableFuture<?>) response;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushPromiseHandler) {
        return sendAsync(request, handler);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return Optional.empty();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return Optional.empty();
    }

    @Override
    public Redirect followRedirects() {
        return Redirect.NEVER;
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return Optional.empty();
    }

    @Override
    public SSLContext sslContext() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SSLParameters sslParameters() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return Optional.empty();
    }

    @Override
    public Version version() {
        return Version.HTTP_1_1;
    }

    @Override
    public Optional<Executor> executor() {
        return Optional.empty();
    }
}
