package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.http.AttemptHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Map;
import java.util.Optional;

/** The request of each attempt: the caller's own, or that with the headers by which servers know a retry. */
final class AttemptRequests {
    private final HttpRequest request;
    private final WatchedBody body;
    private final AttemptHeaders headers;

    /** The request with the additional {@code headers}, and with {@code body} for its body, unless that is null. */
    AttemptRequests(HttpRequest request, WatchedBody body, AttemptHeaders headers) {
        this.request = body == null ? request : withBody(request, body);
        this.body = body;
        this.headers = headers;
    }

    HttpRequest of(Attempt attempt) {
        Map<String, String> marks = headers.of(attempt);
        if (marks.isEmpty()) return request;
        HttpRequest.Builder next = HttpRequest.newBuilder(request, (name, value) -> true);
        marks.forEach(next::setHeader);
        return next.build();
    }

    /**
     * {@code sent}, the request of a response, as the caller may send it again: without an attempt's number. Null if
     * that is null, as in a response made by hand; {@code sent} itself if it is none that the JDK's builder takes.
     */
    HttpRequest unnumbered(HttpRequest sent) {
        if (sent == null) return null;
        try {
            Optional<String> own = request.headers().firstValue(AttemptHeaders.REQUEST);
            if (sent.headers().firstValue(AttemptHeaders.REQUEST).equals(own)) return sent;
            HttpRequest.Builder unnumbered =
                    HttpRequest.newBuilder(sent, (name, value) -> !name.equalsIgnoreCase(AttemptHeaders.REQUEST));
            own.ifPresent(number -> unnumbered.header(AttemptHeaders.REQUEST, number));
            return unnumbered.build();
        } catch (RuntimeException e) {
            // A client that is wrapped may have made it.
            return sent;
        }
    }

    /** Whether the body must not be sent again. */
    boolean isSpent() {
        return body != null && body.isSpent();
    }

    private static HttpRequest withBody(HttpRequest request, BodyPublisher body) {
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .method(request.method(), body)
                .build();
    }
}
