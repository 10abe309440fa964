package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;

/** A handler of {@link RetryBodyHandlers}, which says whether all of its subscribers start afresh. */
record RepeatableHandler<T>(BodyHandler<T> handler, boolean areFresh) implements BodyHandler<T> {
    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        return handler.apply(info);
    }
}
