package dev.reprise.jdkhttp;

import dev.reprise.core.CallOptions;
import dev.reprise.core.shell.http.AmzHeaders;
import dev.reprise.core.shell.http.AttemptHeaders;
import dev.reprise.core.shell.http.HttpRepeats;
import dev.reprise.core.shell.http.HttpRetrier;
import dev.reprise.core.shell.http.HttpRetriers;
import dev.reprise.core.shell.http.RepeatRule;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpRequest;
import java.util.function.Function;

/**
 * The settings of a {@link RetryingHttpClientBuilder}. Thread-safe.
 *
 * @param drainBytes how much of a rejected body is read so that its connection can be used again
 */
record HttpSettings(
        Function<HttpRequest, JavaRetrier> retriers,
        Function<HttpRequest, CallOptions> ownOptions,
        RepeatRule repeats,
        AttemptHeaders.Settings headers,
        HttpRetriers<JavaRetrier> ready,
        long drainBytes) {
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
        CallOptions asked = HttpRepeats.asked(ownOptions.apply(request), retrier.options());
        boolean isUnproven = followsRedirects && !RequestBodies.hasBody(request);
        return repeats.optionsOf(
                asked,
                request.method(),
                RequestBodies.isOneShot(request),
                isUnproven,
                name -> request.headers().firstValue(name).isPresent());
    }
}
