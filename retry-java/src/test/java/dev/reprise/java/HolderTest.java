package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Attempt;
import dev.reprise.core.RetryPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The holder of a future")
class HolderTest {
    private final VirtualTime time = new VirtualTime();
    private final JavaRetrier retrier =
            time.retrier(RetryPolicy.STANDARD).executor(Runnable::run).build();

    @Test
    @DisplayName("finds there what the work throws before the call begins, and no attempt is made")
    void throwingWork() {
        IllegalStateException broken = new IllegalStateException("cannot tell");
        AsyncAttempt<String> work = new AsyncAttempt<>() {
            @Override
            public CompletionStage<String> start(Attempt attempt) {
                throw new AssertionError("an attempt");
            }

            @Override
            public boolean releasesBeforeWait() {
                throw broken;
            }
        };
        BlockingAttempt<String, Exception> blocking = new BlockingAttempt<>() {
            @Override
            public String make(Attempt attempt) {
                throw new AssertionError("an attempt");
            }

            @Override
            public boolean releasesBeforeWait() {
                throw broken;
            }
        };
        for (CompletableFuture<?> future : List.of(
                retrier.callAsyncWithAttempt(work),
                retrier.outcomeAsyncWithAttempt(work),
                retrier.callAsyncWithAttempt(blocking, Runnable::run),
                retrier.outcomeAsyncWithAttempt(blocking, Runnable::run))) {
            assertSame(
                    broken,
                    assertThrows(CompletionException.class, future::join).getCause());
        }
    }
}
