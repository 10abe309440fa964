package dev.reprise.stress;

import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A call whose first execution is under way, and whose copy begins when the test says so. */
final class Hedged {
    private static final RetryPolicy HEDGED = RetryPolicy.builder()
            .maxAttempts(1)
            .hedge(Hedge.after(Duration.ofSeconds(1), 1.0))
            .build();

    private final Ends ends = new Ends();
    private final ManualTimer timer = new ManualTimer();
    final Twins work = new Twins();
    final CompletableFuture<String> call = JavaRetrier.builder(HEDGED)
            .executor(Runnable::run)
            .waiter(timer)
            .listener(ends)
            .build()
            .callAsyncWithAttempt(work);

    /** The first execution has taken long enough: the copy begins, and ends at once. */
    void copy() {
        timer.fire();
        work.endCopy();
    }

    /** The outcome. */
    void look(LLL_Result seen) {
        seen.r1 = Outcomes.of(call);
        seen.r2 = ends.text();
        seen.r3 = work.astray(call);
    }
}
