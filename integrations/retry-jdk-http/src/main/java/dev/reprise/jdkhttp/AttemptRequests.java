package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.http.AttemptHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Map;

/** The request of each attempt: the caller's own, or that with the headers by which servers know a retry. */
final class AttemptRequests {
    private final HttpRequest request;
    private final OneShotBody oneShot;
    private final AttemptHeaders headers;

    /** The request with the additional {@code headers}, and with {@code oneShot} for its body, unless that is null. */
    AttemptRequests(HttpRequest request, OneShotBody oneShot, AttemptHeaders headers) {
        this.request = oneShot == null ? request : withBody(request, oneShot);
        this.oneShot = oneShot;
        this.headers = headers;
    }

    HttpRequest of(Attempt attempt) {
        Map<String, String> marks = headers.of(attempt);
        if (marks.isEmpty()) return request;
        HttpRequest.Builder next = HttpRequest.newBuilder(request, (name, value) -> true);
        marks.forEach(next::setHeader);
        return next.build();
    }

    /** Whether the body was opened and must not be sent again. */
    boolean isSpent() {
        return oneShot != null && oneShot.isOpened();
    }

    private static HttpRequest withBody(HttpRequest request, BodyPublisher body) {
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .method(request.method(), body)
                .build();
    }
}
