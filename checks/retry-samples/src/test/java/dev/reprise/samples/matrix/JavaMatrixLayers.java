package dev.reprise.samples.matrix;

import dev.reprise.core.Attempt;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Upstream;
import dev.reprise.core.WhenRetriedBelow;
import dev.reprise.java.AsyncAttempt;
import dev.reprise.java.BlockingAttempt;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Layers and hedges. As {@link JavaMatrix}. */
final class JavaMatrixLayers {
    private JavaMatrixLayers() {}

    static List<Object> policies() {
        RetryPolicy policy = RetryPolicy.builder()
                .hedge(Hedge.after(Duration.ofMillis(50)))
                .hedge(Hedge.after(Duration.ofMillis(50), 0.1))
                .whenRetriedBelow(WhenRetriedBelow.RETRY)
                .honourShouldRetry(true)
                .build();
        return List.of(policy, new Hedge(0.05), new Hedge());
    }

    static JavaRetrier retrier(RetryPolicy policy, Executor executor) {
        return JavaRetrier.builder(policy).hedgeExecutor(executor).build();
    }

    @SuppressWarnings("try")
    static <T> T serving(JavaRetrier retrier, BlockingAttempt<T, IOException> work) throws IOException {
        Upstream upstream = new Upstream(2).within(Duration.ofSeconds(2));
        try (Serving.Scope scope = Serving.open(upstream)) {
            return retrier.callWithAttempt(work);
        }
    }

    static Duration delay(RetryEvent.HedgeStarted event) {
        return event.getDelay();
    }

    /** Work whose call goes on after a wait on an executor of its own. */
    record Staged(Executor executor) implements AsyncAttempt<String> {
        @Override
        public CompletionStage<String> start(Attempt attempt) {
            return CompletableFuture.completedFuture("one");
        }
    }

    /** Work that must not run twice at once. */
    static final class Single implements BlockingAttempt<String, IOException> {
        @Override
        public String make(Attempt attempt) {
            return attempt.isCopy() ? "copy" : "one";
        }

        @Override
        public boolean mayRunTwice() {
            return false;
        }

        @Override
        public void cut(Attempt attempt) {}
    }
}
