package dev.reprise.jdkhttp;

import dev.reprise.core.CallOptions;
import dev.reprise.core.shell.http.HttpCall;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.internal.HttpFaces;
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
        HttpFaces rules,
        long drainBytes) {
    /**
     * The call of {@code request}. If the client {@code followsRedirects}, nothing proves that a request without a body
     * was not sent: it is sent once unless it is safe to repeat.
     */
    HttpCall<JavaRetrier> call(HttpRequest request, boolean followsRedirects) {
        return rules.call(
                retriers.apply(request),
                ownOptions.apply(request),
                request.method(),
                RequestBodies.isOneShot(request),
                followsRedirects && !RequestBodies.hasBody(request),
                name -> request.headers().firstValue(name).isPresent());
    }
}
