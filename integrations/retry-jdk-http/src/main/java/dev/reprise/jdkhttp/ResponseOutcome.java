package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.http.ReadOutcome;
import dev.reprise.core.shell.layers.MarkCarriers;
import dev.reprise.core.shell.layers.Marked;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;

/**
 * A response as the classifiers see it: the result of an attempt of {@link RetryingHttpClient}, also in its listeners'
 * events. Of its body it has only the bytes that {@link RetryingHttpClientBuilder#errorBodyBytes} or the policy asks
 * for.
 */
public final class ResponseOutcome extends ReadOutcome {
    static {
        MarkCarriers.add(ResponseOutcome::markOf);
    }

    private final int status;
    private final HttpHeaders headers;

    /** The attempt, whose limits hold until the body is delivered. */
    final Attempt attempt;

    /** The body, if it was not delivered yet. */
    volatile HeldBody<?> held;

    /** The response as the client below gave it; without a body if that is {@link #held}. */
    HttpResponse<Object> response;

    private byte[] read;
    private boolean isWhole;

    ResponseOutcome(int status, HttpHeaders headers, Attempt attempt) {
        super(System.currentTimeMillis());
        this.status = status;
        this.headers = headers;
        this.attempt = attempt;
    }

    /** The mark that a retrying client below has put on its response: this client leaves such a response alone. */
    private static Marked markOf(Object value) {
        return value instanceof ResponseOutcome outcome && outcome.response instanceof Marked marked ? marked : null;
    }

    /** The response has come: this outcome with it, and with the bytes read of its body until now. */
    ResponseOutcome of(HttpResponse<Object> response) {
        this.response = response;
        if (held != null) {
            isWhole = held.isWhole();
            read = held.read();
        }
        return this;
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
    protected byte[] getRead() {
        return read;
    }

    @Override
    protected boolean isWhole() {
        return isWhole;
    }

    @Override
    public String header(String name) {
        return headers.firstValue(name).orElse(null);
    }
}
