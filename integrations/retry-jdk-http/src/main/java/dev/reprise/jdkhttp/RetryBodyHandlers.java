package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;

/**
 * Body handlers that {@link RetryingHttpClient} can repeat. Of the JDK's handlers it repeats {@code ofString},
 * {@code ofByteArray}, {@code discarding} and {@code replacing}. With any other, a response that has begun to reach the
 * handler's subscriber is final, even if its body is then cut off.
 *
 * <p>They work with every {@link java.net.http.HttpClient}. Thread-safe.
 */
public final class RetryBodyHandlers {
    private RetryBodyHandlers() {}

    /**
     * Writes the body to a temporary file in the folder of {@code file}, and moves it to {@code file} when it is whole.
     * So {@code file} is replaced by one whole response, or left as it was. The folder must exist.
     */
    public static BodyHandler<Path> ofFile(Path file) {
        Objects.requireNonNull(file, "file");
        return new RepeatableHandler<>(info -> FileBody.of(file), true);
    }

    /**
     * Maps the body that {@code handler} makes, after it has arrived. A body that was cut off is repeated if
     * {@code handler}'s would be; an exception of {@code mapper} is final.
     */
    public static <T, U> BodyHandler<U> mapping(BodyHandler<T> handler, Function<? super T, ? extends U> mapper) {
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(mapper, "mapper");
        return new RepeatableHandler<>(
                info -> {
                    BodySubscriber<T> source = handler.apply(info);
                    return new MadeBody<>(
                            source, FreshBodies.startsAfresh(handler, source), body -> body.thenApply(mapper));
                },
                FreshBodies.areFresh(handler));
    }

    /**
     * Vouches for {@code handler}: each of its subscribers starts afresh, and shows nothing to anybody before its body
     * is whole. A body that was cut off is then repeated.
     */
    public static <T> BodyHandler<T> repeatable(BodyHandler<T> handler) {
        Objects.requireNonNull(handler, "handler");
        return new RepeatableHandler<>(handler, true);
    }
}
