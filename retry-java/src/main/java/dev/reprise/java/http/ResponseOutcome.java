package dev.reprise.java.http;

import dev.reprise.core.classify.ErrorCodes;
import dev.reprise.core.classify.HttpOutcome;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;

/**
 * A response as the classifiers see it: what an attempt of {@link RetryingHttpClient} results in, and what its
 * listeners are told. Its body is not here.
 */
public final class ResponseOutcome extends HttpOutcome {
    private final int status;
    private final HttpHeaders headers;
    private final long receivedAt = System.currentTimeMillis();

    /** The body, if it was not read yet. */
    final HeldBody<?> held;

    /** The response as the client below gave it; without a body if that is {@link #held}. */
    HttpResponse<Object> response;

    ResponseOutcome(int status, HttpHeaders headers, HeldBody<?> held) {
        this.status = status;
        this.headers = headers;
        this.held = held;
    }

    @Override
    public int getStatus() {
        return status;
    }

    /** All headers of the response. */
    public HttpHeaders headers() {
        return headers;
    }

    @Override
    public String getErrorCode() {
        return headers.firstValue(ErrorCodes.HEADER).map(ErrorCodes::ofHeader).orElse(null);
    }

    @Override
    public String header(String name) {
        return headers.firstValue(name).orElse(null);
    }

    @Override
    public long getReceivedAtEpochMillis() {
        return receivedAt;
    }

    @Override
    public String toString() {
        String code = getErrorCode();
        return "HTTP " + status + (code == null ? "" : " " + code);
    }
}
