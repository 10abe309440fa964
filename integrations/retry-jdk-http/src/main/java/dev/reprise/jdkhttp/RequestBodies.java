package dev.reprise.jdkhttp;

import dev.reprise.core.Repeat;
import dev.reprise.core.shell.http.HttpRepeats;
import dev.reprise.jdkhttp.WatchedBody.Opening;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest;
import java.util.Set;

/** Knows which requests may be repeated, and which bodies can be sent again. */
final class RequestBodies {
    /** The publishers of {@code HttpRequest.BodyPublishers} that have their body in memory. */
    private static final Set<String> IN_MEMORY = Set.of("EmptyPublisher", "ByteArrayPublisher", "StringPublisher");

    private RequestBodies() {}

    /** Whether {@code request} may be repeated by its method, or by a header with one of the names {@code keys}. */
    static boolean isIdempotent(HttpRequest request, Set<String> keys) {
        if (HttpRepeats.IDEMPOTENT_METHODS.contains(request.method())) return true;
        for (String key : keys) if (request.headers().firstValue(key).isPresent()) return true;
        return false;
    }

    /** Whether the body of {@code request} can be sent only once, as far as is known. */
    static boolean isOneShot(HttpRequest request) {
        return !isReplayable(bodyOf(request));
    }

    /**
     * The body of {@code request} if something may keep it from being sent again, else {@code null}. If the client
     * follows redirects, that is also the body of a request that is repeated only if nothing was sent: a refused
     * connection at the second address proves nothing of the first.
     */
    static WatchedBody watched(HttpRequest request, Repeat repeat, boolean followsRedirects) {
        BodyPublisher body = bodyOf(request);
        if (body == null) return null;
        if (!isReplayable(body)) return new WatchedBody(body, Opening.MAY_BE_GONE);
        if (followsRedirects && repeat == Repeat.IF_UNSENT) return new WatchedBody(body, Opening.MAY_BE_DONE);
        return isOfJdk(body, IN_MEMORY) ? null : new WatchedBody(body, Opening.REPEATABLE);
    }

    /** Whether {@code request} has a body whose opening can be seen. */
    static boolean hasBody(HttpRequest request) {
        return request.bodyPublisher().map(body -> body.contentLength() != 0).orElse(false);
    }

    /** The body of {@code request}, also if that is the request of another call's response; null if it has none. */
    private static BodyPublisher bodyOf(HttpRequest request) {
        BodyPublisher body = request.bodyPublisher().orElse(null);
        return body instanceof WatchedBody watched ? watched.body : body;
    }

    /**
     * Whether every subscriber of {@code body} gets it whole, as far as is known. The publisher of an iterable may
     * allow only one iteration without saying so.
     */
    private static boolean isReplayable(BodyPublisher body) {
        return body == null
                || body instanceof ReplayableBody
                || isOfJdk(body, IN_MEMORY)
                || isOfJdk(body, Set.of("FilePublisher"));
    }

    private static boolean isOfJdk(BodyPublisher body, Set<String> names) {
        Class<?> type = body.getClass();
        return type.getName().startsWith("jdk.internal.net.http.") && names.contains(type.getSimpleName());
    }
}
