package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Knows the bodies that start afresh with every attempt, so that one that was cut off leaves nothing behind. The JDK's
 * are known by class, handlers and subscribers alike; all others count as the caller's own.
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

    /** The classes of the JDK's handlers that make such subscribers. Each factory method has a class of its own. */
    private static final Set<Class<?>> HANDLERS = Stream.of(
                    BodyHandlers.ofString(),
                    BodyHandlers.ofString(StandardCharsets.UTF_8),
                    BodyHandlers.ofByteArray(),
                    BodyHandlers.discarding(),
                    BodyHandlers.replacing(""))
            .map(Object::getClass)
            .collect(Collectors.toUnmodifiableSet());

    private FreshBodies() {}

    /** Whether all subscribers of {@code handler} are known to start afresh: two may receive at once. */
    static boolean areFresh(BodyHandler<?> handler) {
        return handler instanceof RepeatableHandler<?> known ? known.areFresh() : HANDLERS.contains(handler.getClass());
    }

    /** Whether {@code subscriber}, made by {@code handler}, shows nothing to the caller before its body is whole. */
    static boolean startsAfresh(BodyHandler<?> handler, BodySubscriber<?> subscriber) {
        return areFresh(handler)
                || CLASSES.contains(subscriber.getClass())
                || subscriber instanceof MadeBody<?, ?> made && made.isFresh();
    }

    /**
     * The {@code subscriber} of {@code handler}, wrapped so that {@code reception} notes its deliveries, unless it runs
     * none of the caller's code.
     */
    static <T> BodySubscriber<T> guard(BodyHandler<T> handler, BodySubscriber<T> subscriber, Reception<T> reception) {
        if (CLASSES.contains(subscriber.getClass())) return subscriber;
        return new GuardedBody<>(subscriber, reception, startsAfresh(handler, subscriber));
    }
}
