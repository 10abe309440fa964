package dev.reprise.tck;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.FailureKind;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.eclipse.microprofile.faulttolerance.exceptions.TimeoutException;

/** What MicroProfile's annotations and configuration say about a method of a bean, as a policy. */
final class MethodSettings {
    private final Config config = ConfigProvider.getConfig();
    private final Class<?> bean;
    private final Method method;

    MethodSettings(Class<?> bean, Method method) {
        this.bean = bean;
        this.method = method;
    }

    boolean isAsynchronous() {
        return isOn(Asynchronous.class);
    }

    boolean isRetried() {
        return isOn(Retry.class) || isOn(Timeout.class);
    }

    /** Throws {@link IllegalArgumentException} if the settings cannot be. */
    void check() {
        policy();
        require(
                !isAsynchronous() || returns(Future.class) || returns(CompletionStage.class),
                "an asynchronous method returns a Future or a CompletionStage");
    }

    boolean returns(Class<?> type) {
        return type == method.getReturnType();
    }

    RetryPolicy policy() {
        var builder = RetryPolicy.builder().noQuota().noBackoff().maxAttempts(1);
        if (isOn(Timeout.class)) {
            var timeout = duration(Timeout.class, "value", "unit");
            require(!timeout.isNegative(), "timeout is not negative");
            if (!timeout.isZero()) builder.attemptTimeout(timeout);
        }
        if (isOn(Retry.class)) {
            var maxRetries = value(Retry.class, "maxRetries", Integer.class);
            var delay = duration(Retry.class, "delay", "delayUnit");
            var jitter = duration(Retry.class, "jitter", "jitterDelayUnit");
            var maxDuration = duration(Retry.class, "maxDuration", "durationUnit");
            require(maxRetries >= -1, "maxRetries is at least -1");
            require(!delay.isNegative(), "delay is not negative");
            require(!jitter.isNegative(), "jitter is not negative");
            require(!maxDuration.isNegative(), "maxDuration is not negative");
            require(maxDuration.isZero() || maxDuration.compareTo(delay) > 0, "maxDuration is longer than delay");
            builder.maxAttempts(maxRetries < 0 ? Integer.MAX_VALUE : maxRetries + 1)
                    .backoff(Backoff.custom(retry -> around(delay, jitter)))
                    .classifier(Classifier.failures(this::verdict));
            if (!maxDuration.isZero()) builder.stopAfter(maxDuration);
        }
        return builder.build();
    }

    /** A delay that is up to {@code jitter} shorter or longer. */
    private static Duration around(Duration delay, Duration jitter) {
        var nanos = jitter.toNanos();
        return Duration.ofNanos(Math.max(
                0,
                delay.toNanos() + (nanos == 0 ? 0 : ThreadLocalRandom.current().nextLong(-nanos, nanos + 1))));
    }

    private Verdict verdict(Throwable failure) {
        var thrown = failure instanceof AttemptTimeoutException ? new TimeoutException(failure) : failure;
        if (isListed("abortOn", thrown)) return Verdict.Reject.INSTANCE;
        return isListed("retryOn", thrown) ? new Verdict.Retry(FailureKind.TRANSIENT) : Verdict.Reject.INSTANCE;
    }

    private boolean isListed(String list, Throwable failure) {
        return Arrays.stream(value(Retry.class, list, Class[].class)).anyMatch(type -> type.isInstance(failure));
    }

    /** Whether {@code annotation} stands on the method or its class, and no configuration turns it off. */
    private boolean isOn(Class<? extends Annotation> annotation) {
        if (find(annotation) == null) return false;
        var name = "/" + annotation.getSimpleName() + "/enabled";
        return config.getOptionalValue(methodName() + name, Boolean.class)
                .or(() -> config.getOptionalValue(bean.getName() + name, Boolean.class))
                .or(() -> config.getOptionalValue(name.substring(1), Boolean.class))
                .or(() -> config.getOptionalValue("MP_Fault_Tolerance_NonFallback_Enabled", Boolean.class))
                .orElse(true);
    }

    private Annotation find(Class<? extends Annotation> annotation) {
        var found = method.getAnnotation(annotation);
        return found != null ? found : bean.getAnnotation(annotation);
    }

    private Duration duration(Class<? extends Annotation> annotation, String amount, String unit) {
        return Duration.of(value(annotation, amount, Long.class), value(annotation, unit, ChronoUnit.class));
    }

    private <T> T value(Class<? extends Annotation> annotation, String member, Class<T> type) {
        var place = method.isAnnotationPresent(annotation) ? methodName() : bean.getName();
        var name = "/" + annotation.getSimpleName() + "/" + member;
        Optional<T> configured =
                config.getOptionalValue(place + name, type).or(() -> config.getOptionalValue(name.substring(1), type));
        return configured.orElseGet(() -> {
            try {
                return type.cast(annotation.getMethod(member).invoke(find(annotation)));
            } catch (ReflectiveOperationException impossible) {
                throw new AssertionError(impossible);
            }
        });
    }

    private String methodName() {
        return method.getDeclaringClass().getName() + "/" + method.getName();
    }

    private static void require(boolean condition, String rule) {
        if (!condition) throw new IllegalArgumentException(rule);
    }
}
