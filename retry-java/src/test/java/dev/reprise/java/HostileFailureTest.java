package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Classifier;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.Verdict;
import dev.reprise.coroutines.shell.FutureWaits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A failure that throws when it is asked for its cause")
@Timeout(60)
class HostileFailureTest {
    private static final Executor SAME_THREAD = Runnable::run;

    @SuppressWarnings("serial")
    private static final class Hostile extends Exception {
        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("cause");
        }
    }

    @SuppressWarnings("serial")
    private static final class HostileWrapper extends CompletionException {
        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("cause");
        }
    }

    static Stream<RetryPolicy> policies() {
        return Stream.of(
                RetryPolicy.STANDARD,
                RetryPolicy.ANY_EXCEPTION,
                RetryPolicy.builder()
                        .classifier(Classifier.failures(failure -> Verdict.REJECT))
                        .build(),
                RetryPolicy.builder()
                        .classifier(Classifier.failures(failure -> Verdict.TRANSIENT))
                        .build());
    }

    @ParameterizedTest
    @MethodSource("policies")
    @DisplayName("is judged by its own class, and is what the caller sees")
    void isSeen(RetryPolicy policy) {
        RetryPolicy noWait = policy.toBuilder().noBackoff().build();
        JavaRetrier retrier = JavaRetrier.of(noWait);
        int attempts = noWait.getClassifier().classifyFailure(new Hostile()) instanceof Verdict.Retry ? 3 : 1;
        for (Exception failure : new Exception[] {new Hostile(), new HostileWrapper()}) {
            assertEnds(failure, attempts, retrier.callAsync(() -> CompletableFuture.failedFuture(failure)));
            CompletableFuture<Object> late = new CompletableFuture<>();
            CompletableFuture<Object> call = retrier.callAsync(() -> late);
            late.completeExceptionally(failure);
            assertEnds(failure, attempts, call);
            assertEnds(failure, attempts, retrier.callAsync(() -> raise(failure), SAME_THREAD));
            assertSame(failure, assertThrows(Exception.class, () -> retrier.call(() -> raise(failure))));
        }
    }

    private static Object raise(Exception failure) throws Exception {
        throw failure;
    }

    private static void assertEnds(Throwable failure, int attempts, CompletableFuture<?> call) {
        assertSame(failure, FutureWaits.failureOf(call));
        assertEquals(attempts, RetryTrace.of(failure).getAttempts());
    }
}
