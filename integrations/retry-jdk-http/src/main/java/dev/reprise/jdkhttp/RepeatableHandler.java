package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;

/**
 * A handler of {@link RetryBodyHandlers}, which says of its subscribers whether they start afresh, and whether all of
 * them do.
 */
record RepeatableHandler<T>(BodyHandler<T> handler, boolean areFresh) implements BodyHandler<T> {
    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        return handler.apply(info);
    }

    boolean startsAfresh(BodySubscriber<T> subscriber) {
        return areFresh || subscriber instanceof MappedBody<?, ?> mapped && mapped.isSourceFresh();
    }
}
