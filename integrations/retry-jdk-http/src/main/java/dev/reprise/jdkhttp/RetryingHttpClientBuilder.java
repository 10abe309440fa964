package dev.reprise.jdkhttp;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetrierCache;
import dev.reprise.core.shell.http.BodyPeek;
import dev.reprise.core.shell.http.HostKey;
import dev.reprise.core.shell.http.HttpRetrySettings;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.internal.HttpFaces;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.Objects;
import java.util.function.Function;

/** Builds a {@link RetryingHttpClient}. Not thread-safe. */
public final class RetryingHttpClientBuilder extends HttpRetrySettings<RetryingHttpClientBuilder> {
    private final HttpClient client;
    private Function<HttpRequest, JavaRetrier> retriers;
    private Function<HttpRequest, CallOptions> options = request -> null;
    private long drainBytes = 64 * 1024;
    private int errorBodyBytes;

    RetryingHttpClientBuilder(HttpClient client) {
        this.client = Objects.requireNonNull(client, "client");
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
        if (retriers != null) requireAlone("retriers");
        RetrierCache<String, JavaRetrier> hosts = byHost(HttpFaces::ofHost);
        Function<HttpRequest, JavaRetrier> byHost = request -> {
            URI uri = request.uri();
            return hosts.get(HostKey.of(uri.getScheme(), uri.getHost(), uri.getPort()));
        };
        HttpSettings settings = new HttpSettings(
                retriers == null ? byHost : retriers,
                options,
                new HttpFaces(repeats(), headers(), errorBodyBytes, own -> own),
                drainBytes);
        return new RetryingHttpClient(client, settings);
    }
}
