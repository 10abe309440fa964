package dev.reprise.jdkhttp;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetrierCache;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.http.AttemptHeaders;
import dev.reprise.core.shell.http.BodyPeek;
import dev.reprise.core.shell.http.HostKey;
import dev.reprise.core.shell.http.HttpRepeats;
import dev.reprise.core.shell.http.HttpRetriers;
import dev.reprise.java.JavaRetrier;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/** Builds a {@link RetryingHttpClient}. Not thread-safe. */
public final class RetryingHttpClientBuilder {
    private static final int MAX_HOSTS = 256;

    private final HttpClient client;
    private final List<RetryListener> listeners = new ArrayList<>();
    private RetryPolicy policy = RetryPolicy.HTTP;
    private Function<HttpRequest, JavaRetrier> retriers;
    private Function<HttpRequest, CallOptions> options;
    private Set<String> idempotencyKeys = HttpRepeats.IDEMPOTENCY_KEYS;
    private boolean amzHeaders;
    private boolean numberRetries = true;
    private boolean meshRetries = true;
    private long drainBytes = 64 * 1024;
    private int errorBodyBytes;

    RetryingHttpClientBuilder(HttpClient client) {
        this.client = Objects.requireNonNull(client, "client");
    }

    /** Sets how to retry; each host and port has a quota of its own, and a send rate if the policy has one. */
    public RetryingHttpClientBuilder policy(RetryPolicy policy) {
        this.policy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /** Adds a listener. It sees responses as {@link ResponseOutcome}. */
    public RetryingHttpClientBuilder listener(RetryListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets the function that picks a request's retrier, which has its own policy and listeners. Default: one per host
     * and port.
     */
    public RetryingHttpClientBuilder retriers(Function<HttpRequest, JavaRetrier> retriers) {
        this.retriers = Objects.requireNonNull(retriers, "retriers");
        return this;
    }

    /**
     * Sets the function for a request's options, or {@code null} for none. Where they do not say whether the request
     * may be repeated, method and key decide, as by default. A body that can be sent only once is still not sent again.
     */
    public RetryingHttpClientBuilder options(Function<HttpRequest, CallOptions> options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /** Sets the headers that make a request repeatable. */
    public RetryingHttpClientBuilder idempotencyKeys(Set<String> names) {
        idempotencyKeys = Set.copyOf(names);
        return this;
    }

    /**
     * Sets whether every attempt carries {@code amz-sdk-invocation-id}, the same in all attempts, and
     * {@code amz-sdk-request}, its number and how many there may be. Off by default.
     */
    public RetryingHttpClientBuilder amzHeaders(boolean isOn) {
        amzHeaders = isOn;
        return this;
    }

    /**
     * Sets whether retries carry their number, as {@code amz-sdk-request: attempt=2}, so that a server does not retry
     * further what it calls for them. On by default; a number that the request brings is left alone.
     */
    public RetryingHttpClientBuilder numberRetries(boolean isOn) {
        numberRetries = isOn;
        return this;
    }

    /**
     * Sets whether a sidecar may repeat requests, as its routes say. On by default; off sends
     * {@code x-envoy-max-retries: 0}.
     */
    public RetryingHttpClientBuilder meshRetries(boolean isOn) {
        meshRetries = isOn;
        return this;
    }

    /**
     * Sets how many bytes of a rejected response's body are read, to use its connection again, before that is closed
     * instead; not negative. 64 KiB by default.
     */
    public RetryingHttpClientBuilder drainBytes(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("drainBytes must not be negative: " + bytes);
        drainBytes = bytes;
        return this;
    }

    /**
     * Sets how many bytes of a failure's body are read before it is judged: for the service's error code, JSON or XML,
     * if no header has it, and for your own classifiers, which find them in {@link ResponseOutcome}. Not negative. None
     * by default; at least 64 KiB if the policy has rules about messages or checksums. Reading takes a second at most,
     * and the caller still gets the whole body.
     */
    public RetryingHttpClientBuilder errorBodyBytes(int bytes) {
        errorBodyBytes = BodyPeek.checkBytes(bytes);
        return this;
    }

    /**
     * The client.
     *
     * @throws IllegalArgumentException if {@link #retriers} were set, and a {@link #policy} or a {@link #listener} that
     *     they would not have
     */
    public RetryingHttpClient build() {
        if (retriers != null) HttpRetriers.requireAlone(policy, listeners);
        RetryPolicy policy = this.policy;
        List<RetryListener> listeners = List.copyOf(this.listeners);
        RetrierCache<String, JavaRetrier> hosts = new RetrierCache<>(
                MAX_HOSTS,
                host -> JavaRetrier.builder(policy)
                        .name(host)
                        .listeners(listeners)
                        .build());
        Function<HttpRequest, JavaRetrier> byHost = request -> hosts.get(host(request.uri()));
        return new RetryingHttpClient(
                client,
                new HttpSettings(
                        retriers == null ? byHost : retriers,
                        options == null ? request -> null : options,
                        idempotencyKeys,
                        new AttemptHeaders.Settings(amzHeaders, numberRetries, meshRetries),
                        drainBytes,
                        errorBodyBytes));
    }

    private static String host(URI uri) {
        return HostKey.of(uri.getScheme(), uri.getHost(), uri.getPort());
    }
}
