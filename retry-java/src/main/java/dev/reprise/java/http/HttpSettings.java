package dev.reprise.java.http;

import dev.reprise.core.CallOptions;
import dev.reprise.core.Repeat;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What a {@link RetryingHttpClientBuilder} was told. */
record HttpSettings(
        Function<HttpRequest, JavaRetrier> retriers,
        Function<HttpRequest, CallOptions> ownOptions,
        Set<String> idempotencyKeys,
        boolean marksAttempts,
        long drainBytes,
        int errorBodyBytes) {
    private static final Map<Repeat, CallOptions> OPTIONS = new EnumMap<>(Repeat.class);

    static {
        for (Repeat repeat : Repeat.values()) OPTIONS.put(repeat, CallOptions.DEFAULT.repeated(repeat));
    }

    /** Whose call {@code request} is. */
    JavaRetrier retrier(HttpRequest request) {
        return retriers.apply(request);
    }

    /** What is known of {@code request}. */
    CallOptions options(HttpRequest request) {
        CallOptions own = ownOptions.apply(request);
        if (own != null) return own;
        return OPTIONS.get(RequestRepeat.of(request, idempotencyKeys));
    }

    /** The body of {@code request} if it can be sent only once and nothing else is known of it, else {@code null}. */
    OneShotBody oneShotOf(HttpRequest request) {
        BodyPublisher body = request.bodyPublisher().orElse(null);
        if (RequestRepeat.isReplayable(body) || ownOptions.apply(request) != null) return null;
        return new OneShotBody(body);
    }
}
