package dev.reprise.jdkhttp;

import dev.reprise.core.Repeat;
import dev.reprise.core.http.HttpRepeats;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Set;

/** Knows which requests may be repeated, and which bodies can be sent again. */
final class RequestBodies {
    /**
     * The publishers of {@code HttpRequest.BodyPublishers} that make the same body for every subscriber. Not the
     * publisher of an iterable, which may allow only one iteration without saying so.
     */
    private static final Set<String> PUBLISHERS =
            Set.of("EmptyPublisher", "ByteArrayPublisher", "StringPublisher", "FilePublisher");

    private RequestBodies() {}

    /** Whether {@code request} may be repeated by its method, or by a header with one of the names {@code keys}. */
    static boolean isIdempotent(HttpRequest request, Set<String> keys) {
        if (HttpRepeats.IDEMPOTENT_METHODS.contains(request.method())) return true;
        for (String key : keys) if (request.headers().firstValue(key).isPresent()) return true;
        return false;
    }

    /** Whether the body of {@code request} can be sent only once, as far as is known. */
    static boolean isOneShot(HttpRequest request) {
        return !isReplayable(request.bodyPublisher().orElse(null));
    }

    /**
     * The body of {@code request} if it must not be sent again after it was opened, else {@code null}. That is a body
     * that can be sent only once. If the client follows redirects, it is also the body of a request that is repeated
     * only if nothing was sent: a refused connection at the second address proves nothing of the first.
     */
    static OneShotBody onceOpened(HttpRequest request, Repeat repeat, boolean followsRedirects) {
        BodyPublisher body = request.bodyPublisher().orElse(null);
        boolean mayBeGone = !isReplayable(body);
        boolean isWatched = mayBeGone || followsRedirects && repeat == Repeat.IF_UNSENT && body != null;
        return isWatched ? new OneShotBody(body, mayBeGone) : null;
    }

    /** Whether {@code request} has a body whose opening can be seen. */
    static boolean hasBody(HttpRequest request) {
        return request.bodyPublisher().map(body -> body.contentLength() != 0).orElse(false);
    }

    // An unknown publisher counts as a stream that can be read only once.
    private static boolean isReplayable(BodyPublisher body) {
        if (body == null || body instanceof ReplayableBody) return true;
        Class<?> type = body.getClass();
        return type.getName().startsWith("jdk.internal.net.http.") && PUBLISHERS.contains(type.getSimpleName());
    }
}
