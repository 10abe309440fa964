package dev.reprise.tck;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.java.JavaRetrier;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Intercepted;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.microprofile.faulttolerance.exceptions.TimeoutException;

/** Runs a bean's method by a {@link JavaRetrier}, as MicroProfile's annotations say. */
@Interceptor
@Retried
@Priority(Interceptor.Priority.PLATFORM_AFTER + 10)
class RetryInterceptor {
    private static final ExecutorService POOL = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "tck");
        thread.setDaemon(true);
        return thread;
    });

    @Inject
    @Intercepted
    private Bean<?> bean;

    @AroundInvoke
    Object invoke(InvocationContext context) throws Exception {
        var settings = new MethodSettings(bean.getBeanClass(), context.getMethod());
        if (!settings.isRetried() && !settings.isAsynchronous()) return context.proceed();
        var retrier = JavaRetrier.of(settings.policy());
        if (settings.isAsynchronous()) {
            return settings.returns(Future.class)
                    ? new LaterFuture(named(retrier.<Future<?>>callAsync(() -> (Future<?>) context.proceed(), POOL)))
                    : named(retrier.callAsync(() -> submit(context)));
        }
        try {
            return retrier.callInterruptibly(context::proceed);
        } catch (AttemptTimeoutException timeout) {
            throw new TimeoutException(timeout);
        }
    }

    /** The stage of an invocation in the pool. Cancelling it interrupts the method. */
    private static CompletableFuture<Object> submit(InvocationContext context) {
        var end = new CompletableFuture<Object>();
        var task = POOL.submit(() -> {
            try {
                ((CompletionStage<?>) context.proceed()).whenComplete((value, failure) -> {
                    if (failure == null) end.complete(value);
                    else end.completeExceptionally(failure);
                });
            } catch (Throwable failure) {
                end.completeExceptionally(failure);
            }
        });
        end.whenComplete((value, failure) -> {
            if (end.isCancelled()) task.cancel(true);
        });
        return end;
    }

    /** {@code call} with MicroProfile's own exception for a timeout. Cancelling it cancels the call. */
    private static <T> CompletableFuture<T> named(CompletableFuture<T> call) {
        var named = new CompletableFuture<T>();
        call.whenComplete((value, failure) -> {
            if (failure == null) named.complete(value);
            else if (failure instanceof AttemptTimeoutException)
                named.completeExceptionally(new TimeoutException(failure));
            else named.completeExceptionally(failure);
        });
        named.whenComplete((value, failure) -> {
            if (named.isCancelled()) call.cancel(true);
        });
        return named;
    }
}
