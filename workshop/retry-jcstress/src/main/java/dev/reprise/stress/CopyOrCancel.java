package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.hedge.Hedge;
import dev.reprise.java.JavaRetrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The caller cancels while a copy begins and ends. */
@JCStressTest
@Outcome(id = "cancelled, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The caller was first.")
@Outcome(id = "copy, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The copy was first.")
@State
public class CopyOrCancel {
    private static final RetryPolicy HEDGED = RetryPolicy.builder()
            .maxAttempts(1)
            .hedge(Hedge.after(Duration.ofSeconds(1), 1.0))
            .build();

    private final Ends ends = new Ends();
    private final Twins work = new Twins();
    private final ManualTimer timer = new ManualTimer();
    private final CompletableFuture<String> call = JavaRetrier.builder(HEDGED)
            .executor(Runnable::run)
            .waiter(timer)
            .listener(ends)
            .build()
            .callAsyncWithAttempt(work);

    /** The caller cancels. */
    @Actor
    public void cancel() {
        call.cancel(true);
    }

    /** The first execution has taken long enough: the copy begins, and ends at once. */
    @Actor
    public void copy() {
        timer.fire();
        work.endCopy();
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        seen.r1 = Outcomes.of(call);
        seen.r2 = ends.text();
        seen.r3 = work.astray(call);
    }
}
