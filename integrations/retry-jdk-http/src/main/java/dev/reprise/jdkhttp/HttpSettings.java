package dev.reprise.jdkhttp;

import dev.reprise.core.CallOptions;
import dev.reprise.core.EngineErrors;
import dev.reprise.core.Repeat;
import dev.reprise.core.shell.http.AmzHeaders;
import dev.reprise.core.shell.http.AttemptHeaders;
import dev.reprise.core.shell.http.HttpPolicies;
import dev.reprise.core.shell.http.HttpRepeats;
import dev.reprise.core.shell.http.HttpRetrier;
import dev.reprise.core.shell.http.HttpRetriers;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpRequest;
import java.util.Set;
import java.util.function.Function;

/** The settings of a {@link RetryingHttpClientBuilder}. Thread-safe. */
final class HttpSettings {
    private final Function<HttpRequest, JavaRetrier> retriers;
    private final Function<HttpRequest, CallOptions> ownOptions;
    private final Set<String> idempotencyKeys;
    private final HttpRetriers<JavaRetrier> ready;

    private final AttemptHeaders.Settings headers;

    /** How much of a rejected body is read so that its connection can be used again. */
    final long drainBytes;

    HttpSettings(
            Function<HttpRequest, JavaRetrier> retriers,
            Function<HttpRequest, CallOptions> ownOptions,
            Set<String> idempotencyKeys,
            AttemptHeaders.Settings headers,
            long drainBytes,
            int errorBodyBytes) {
        this.retriers = retriers;
        this.ownOptions = ownOptions;
        this.idempotencyKeys = idempotencyKeys;
        this.headers = headers;
        this.drainBytes = drainBytes;
        HttpPolicies policies = new HttpPolicies(EngineErrors.INSTANCE, errorBodyBytes);
        ready = new HttpRetriers<>(policies, JavaRetrier::policy, JavaRetrier::with);
    }

    /** The retrier of {@code request}. */
    HttpRetrier<JavaRetrier> retrier(HttpRequest request) {
        return ready.of(retriers.apply(request));
    }

    /** The headers of the attempts of {@code request}, at most {@code maxAttempts}. */
    AttemptHeaders headers(HttpRequest request, int maxAttempts) {
        boolean isNumbered = request.headers().firstValue(AmzHeaders.REQUEST).isPresent();
        return headers.ofCall(maxAttempts, isNumbered);
    }

    /**
     * The options of a {@code request} that {@code retrier} runs. If the client {@code followsRedirects}, nothing
     * proves that a request without a body was not sent: it is sent once unless it is safe to repeat.
     */
    CallOptions options(HttpRequest request, JavaRetrier retrier, boolean followsRedirects) {
        boolean isIdempotent = RequestBodies.isIdempotent(request, idempotencyKeys);
        CallOptions asked = HttpRepeats.asked(ownOptions.apply(request), retrier.options());
        CallOptions options = HttpRepeats.optionsOf(asked, isIdempotent, RequestBodies.isOneShot(request));
        boolean isUnproven = options.getRepeat() == Repeat.IF_UNSENT && followsRedirects;
        return isUnproven && !RequestBodies.hasBody(request) ? HttpRepeats.once(options) : options;
    }
}
