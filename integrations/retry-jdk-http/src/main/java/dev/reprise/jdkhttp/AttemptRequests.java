package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.http.AmzHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;

/** The request of each attempt: the caller's own, or that with the headers by which AWS services know a retry. */
final class AttemptRequests {
    private final HttpRequest request;
    private final OneShotBody oneShot;
    private final AmzHeaders headers;

    /** The request itself for every attempt, or with headers if {@code isMarked}; with {@code oneShot} for its body. */
    AttemptRequests(HttpRequest request, OneShotBody oneShot, int maxAttempts, boolean isMarked) {
        this.request = oneShot == null ? request : withBody(request, oneShot);
        this.oneShot = oneShot;
        headers = isMarked ? AmzHeaders.ofCall(maxAttempts) : null;
    }

    HttpRequest of(Attempt attempt) {
        if (headers == null) return request;
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .setHeader(AmzHeaders.INVOCATION_ID, headers.getInvocation())
                .setHeader(AmzHeaders.REQUEST, headers.request(attempt.getNumber()))
                .build();
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
