package dev.reprise.java.http;

import dev.reprise.core.Attempt;
import java.net.http.HttpRequest;
import java.util.UUID;

/** The request of each attempt: the caller's own, or that with the headers by which AWS services know a retry. */
final class AttemptRequests {
    private final HttpRequest request;
    private final String max;
    private final String invocation;

    /** The request itself for every attempt, or with headers if {@code isMarked}. */
    AttemptRequests(HttpRequest request, int maxAttempts, boolean isMarked) {
        this.request = request;
        max = maxAttempts == Integer.MAX_VALUE ? "" : "; max=" + maxAttempts;
        invocation = isMarked ? UUID.randomUUID().toString() : null;
    }

    HttpRequest of(Attempt attempt) {
        if (invocation == null) return request;
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .setHeader("amz-sdk-invocation-id", invocation)
                .setHeader("amz-sdk-request", "attempt=" + attempt.getNumber() + max)
                .build();
    }
}
