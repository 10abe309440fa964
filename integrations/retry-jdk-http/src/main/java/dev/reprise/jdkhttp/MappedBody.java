package dev.reprise.jdkhttp;

import java.net.http.HttpResponse.BodySubscriber;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The body of {@code source}, mapped once it is there. */
final class MappedBody<T, U> extends PassedOnBody<T, U> {
    private final boolean isSourceFresh;
    private final Function<? super T, ? extends U> mapper;

    MappedBody(BodySubscriber<T> source, boolean isSourceFresh, Function<? super T, ? extends U> mapper) {
        super(source);
        this.isSourceFresh = isSourceFresh;
        this.mapper = mapper;
    }

    /** Whether the source starts again in each attempt. */
    boolean isSourceFresh() {
        return isSourceFresh;
    }

    @Override
    public CompletionStage<U> getBody() {
        return source.getBody().thenApply(mapper);
    }
}
