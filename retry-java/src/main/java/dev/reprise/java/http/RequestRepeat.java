package dev.reprise.java.http;

import dev.reprise.core.Repeat;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Locale;
import java.util.Set;

/**
 * Says what may be repeated: a request whose method or idempotency key allows it, as long as its body can be sent
 * again; any other only if the failure proves that nothing was sent.
 */
final class RequestRepeat {
    /** RFC 9110, section 9.2.2. */
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

    /**
     * The publishers of {@code HttpRequest.BodyPublishers} that make the same body anew for every subscriber. Not that
     * of an iterable, which may be one that can be gone through only once and does not say so.
     */
    private static final Set<String> PUBLISHERS =
            Set.of("EmptyPublisher", "ByteArrayPublisher", "StringPublisher", "FilePublisher");

    private RequestRepeat() {}

    /** Whether and when {@code request} may be repeated; a key is a header with one of the names {@code keys}. */
    static Repeat of(HttpRequest request, Set<String> keys) {
        // A connection that was refused has not opened it.
        if (!isReplayable(request.bodyPublisher().orElse(null))) return Repeat.IF_UNSENT;
        boolean isIdempotent = METHODS.contains(request.method().toUpperCase(Locale.ROOT))
                || keys.stream()
                        .anyMatch(key -> request.headers().firstValue(key).isPresent());
        return isIdempotent ? Repeat.SAFE : Repeat.IF_UNSENT;
    }

    // What is not known by name may be a stream that is gone once it was read, and is taken for one.
    static boolean isReplayable(BodyPublisher body) {
        if (body == null || body instanceof ReplayableBody) return true;
        Class<?> type = body.getClass();
        return type.getName().startsWith("jdk.internal.net.http.") && PUBLISHERS.contains(type.getSimpleName());
    }
}
