package dev.reprise.java.http;

import dev.reprise.core.CallOptions;
import dev.reprise.core.classify.EngineErrors;
import dev.reprise.core.http.HttpPolicies;
import dev.reprise.core.http.HttpRepeats;
import dev.reprise.core.http.HttpRetrier;
import dev.reprise.core.http.HttpRetriers;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpRequest;
import java.util.Set;
import java.util.function.Function;

/** What a {@link RetryingHttpClientBuilder} was told. Thread-safe. */
final class HttpSettings {
    private final Function<HttpRequest, JavaRetrier> retriers;
    private final Function<HttpRequest, CallOptions> ownOptions;
    private final Set<String> idempotencyKeys;
    private final HttpRetriers<JavaRetrier> ready;

    /** Whether attempts carry the headers by which AWS services know them. */
    final boolean marksAttempts;

    /** How much of a rejected body is read so that its connection can be used again. */
    final long drainBytes;

    HttpSettings(
            Function<HttpRequest, JavaRetrier> retriers,
            Function<HttpRequest, CallOptions> ownOptions,
            Set<String> idempotencyKeys,
            boolean marksAttempts,
            long drainBytes,
            int errorBodyBytes) {
        this.retriers = retriers;
        this.ownOptions = ownOptions;
        this.idempotencyKeys = idempotencyKeys;
        this.marksAttempts = marksAttempts;
        this.drainBytes = drainBytes;
        HttpPolicies policies = new HttpPolicies(EngineErrors.INSTANCE, errorBodyBytes);
        ready = new HttpRetriers<>(policies, JavaRetrier::policy, JavaRetrier::with);
    }

    /** Whose call {@code request} is. */
    HttpRetrier<JavaRetrier> retrier(HttpRequest request) {
        return ready.of(retriers.apply(request));
    }

    /** What is known of {@code request}, whose body can be sent only once if {@code isOneShot}. */
    CallOptions options(HttpRequest request, boolean isOneShot) {
        CallOptions own = ownOptions.apply(request);
        return HttpRepeats.optionsOf(own, RequestBodies.isIdempotent(request, idempotencyKeys), isOneShot);
    }
}
