package dev.reprise.java.internal;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Classifier;
import dev.reprise.core.EngineErrors;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryStoppedException;
import dev.reprise.core.shell.http.HttpRetriers;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What the HTTP faces whose retriers are {@link JavaRetrier}s share. */
public final class HttpFaces {
    private HttpFaces() {}

    /** The retrier of {@code host}. */
    public static JavaRetrier ofHost(String host, RetryPolicy policy, List<? extends RetryListener> listeners) {
        return JavaRetrier.builder(policy).name(host).listeners(listeners).build();
    }

    /** The retriers of a face that reads so many bytes of failures and wraps each classifier by {@code around}. */
    public static HttpRetriers<JavaRetrier> retriers(int errorBodyBytes, UnaryOperator<Classifier> around) {
        return new HttpRetriers<>(
                EngineErrors.INSTANCE, errorBodyBytes, JavaRetrier::policy, JavaRetrier::with, around::apply);
    }

    /** The same without a wrapper. */
    public static HttpRetriers<JavaRetrier> retriers(int errorBodyBytes) {
        return retriers(errorBodyBytes, classifier -> classifier);
    }

    /**
     * The accepted result of a call that ended with {@code end}. Else a result is {@code released}, and the exception
     * thrown as callers of blocking clients expect it.
     */
    public static <T> T result(RetryOutcome<T> end, Consumer<T> released) throws Exception {
        try {
            return end.getOrThrow();
        } catch (Exception e) {
            if (end instanceof RetryOutcome.BadResult<T> bad) released.accept(bad.getValue());
            throw asIo(e);
        }
    }

    /** {@code end} in an {@code IOException}. The trace is found in either. */
    static Exception asIo(Exception end) {
        if (end instanceof RetryStoppedException) return new IOException(end.getMessage(), end);
        if (!(end instanceof AttemptTimeoutException)) return end;
        SocketTimeoutException timeout = new SocketTimeoutException(end.getMessage());
        timeout.initCause(end);
        return timeout;
    }
}
