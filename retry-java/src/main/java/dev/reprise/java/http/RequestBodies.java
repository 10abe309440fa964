package dev.reprise.java.http;

import dev.reprise.core.http.HttpRepeats;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Set;

/** Knows which requests may be repeated, and which bodies can be sent again. */
final class RequestBodies {
    /**
     * The publishers of {@code HttpRequest.BodyPublishers} that make the same body anew for every subscriber. Not that
     * of an iterable, which may be one that can be gone through only once and does not say so.
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

    /** The body of {@code request} if it can be sent only once, as far as is known, else {@code null}. */
    static OneShotBody oneShotOf(HttpRequest request) {
        BodyPublisher body = request.bodyPublisher().orElse(null);
        return isReplayable(body) ? null : new OneShotBody(body);
    }

    // What is not known by name may be a stream that is gone once it was read, and is taken for one.
    private static boolean isReplayable(BodyPublisher body) {
        if (body == null || body instanceof ReplayableBody) return true;
        Class<?> type = body.getClass();
        return type.getName().startsWith("jdk.internal.net.http.") && PUBLISHERS.contains(type.getSimpleName());
    }
}
