package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Knows the bodies that start afresh with every attempt, so that one that was cut off leaves nothing behind. Handlers
 * of the JDK hide what they do, so their subscribers are known by class; all others count as the caller's own.
 */
final class FreshBodies {
    /** The classes of the JDK's subscribers that keep bytes to themselves until the last one is there, or drop them. */
    private static final Set<Class<?>> CLASSES = Stream.of(
                    BodySubscribers.ofString(StandardCharsets.UTF_8),
                    BodySubscribers.ofByteArray(),
                    BodySubscribers.discarding(),
                    BodySubscribers.replacing(""))
            .map(Object::getClass)
            .collect(Collectors.toUnmodifiableSet());

    private FreshBodies() {}

    /** Whether {@code subscriber} shows nothing to the caller before its body is whole, and runs none of his code. */
    static boolean isFresh(BodySubscriber<?> subscriber) {
        return CLASSES.contains(subscriber.getClass());
    }

    /** The subscriber of {@code handler}, as one that notes in {@code delivery} what reaches it. */
    static <T> BodySubscriber<T> guard(BodyHandler<T> handler, BodySubscriber<T> subscriber, Delivery delivery) {
        if (isFresh(subscriber)) return subscriber;
        boolean startsAfresh = handler instanceof RepeatableHandler<T> known && known.startsAfresh(subscriber);
        return new GuardedBody<>(subscriber, delivery, startsAfresh);
    }
}
