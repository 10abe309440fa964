package dev.reprise.java.internal;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Classifier;
import dev.reprise.core.EngineErrors;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryStoppedException;
import dev.reprise.core.shell.call.CallSetup;
import dev.reprise.core.shell.http.AttemptHeaders;
import dev.reprise.core.shell.http.HttpCall;
import dev.reprise.core.shell.http.HttpRepeats;
import dev.reprise.core.shell.http.HttpRetrier;
import dev.reprise.core.shell.http.HttpRetriers;
import dev.reprise.core.shell.http.RepeatRule;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The settings that the HTTP faces whose retriers are {@link JavaRetrier}s have in common. Immutable. */
public final class HttpFaces {
    private final RepeatRule repeats;
    private final AttemptHeaders.Settings headers;
    private final HttpRetriers<JavaRetrier> ready;

    /** The settings of a face that reads so many bytes of failures and wraps each classifier by {@code around}. */
    public HttpFaces(
            RepeatRule repeats, AttemptHeaders.Settings headers, int errorBodyBytes, UnaryOperator<Classifier> around) {
        this.repeats = repeats;
        this.headers = headers;
        ready = new HttpRetriers<>(
                EngineErrors.INSTANCE, errorBodyBytes, JavaRetrier::policy, JavaRetrier::with, around::apply);
    }

    /**
     * The call of a request that {@code brought} makes, with this method, these headers, and the options {@code own} if
     * they are not null. Body and client are as {@link RepeatRule#optionsOf} says.
     */
    public HttpCall<JavaRetrier> call(
            JavaRetrier brought,
            CallOptions own,
            String method,
            boolean isOneShot,
            boolean isUnproven,
            Predicate<String> hasHeader) {
        HttpRetrier<JavaRetrier> retrier = ready.of(brought);
        CallOptions asked = HttpRepeats.asked(own, retrier.getRetrier().options());
        return new HttpCall<>(
                retrier,
                asked,
                repeats.optionsOf(asked, method, isOneShot, isUnproven, hasHeader),
                headers.ofCall(retrier.getPolicy().getMaxAttempts(), hasHeader.test(AttemptHeaders.REQUEST)));
    }

    /** The retrier of {@code call}, with its options, named by method and host if a listener could tell. */
    public static JavaRetrier named(HttpCall<JavaRetrier> call, String method, String host) {
        return call.getRetrier().withOptions(setup(call).http(call.getOptions(), method, host));
    }

    /** The setup of the retrier of {@code call}. */
    public static CallSetup setup(HttpCall<JavaRetrier> call) {
        return call.getRetrier().retrier().getSetup();
    }

    /** The retrier of {@code host}. */
    public static JavaRetrier ofHost(String host, RetryPolicy policy, List<? extends RetryListener> listeners) {
        return JavaRetrier.builder(policy).name(host).listeners(listeners).build();
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
            throw (Exception) asIo(e, SocketTimeoutException::new);
        }
    }

    /**
     * {@code end} as callers of an HTTP client know it: an {@code IOException} in place of one of ours, which is its
     * cause, for a timeout the client's own {@code timeout}. The trace is found in either.
     */
    public static Throwable asIo(Throwable end, Function<String, IOException> timeout) {
        if (end instanceof RetryStoppedException) return new IOException(end.getMessage(), end);
        if (!(end instanceof AttemptTimeoutException)) return end;
        return timeout.apply(end.getMessage()).initCause(end);
    }
}
