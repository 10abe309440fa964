package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The attempt's limit fires while the attempt ends. */
@JCStressTest
@Outcome(id = "result, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The attempt was first.")
@Outcome(id = "timed out, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The limit was first.")
@State
public class TimeoutOrResult {
    private static final RetryPolicy ONE_ATTEMPT = RetryPolicy.builder()
            .maxAttempts(1)
            .attemptTimeout(Duration.ofSeconds(1))
            .build();

    private final Ends ends = new Ends();
    private final Work work = new Work();
    private final ManualTimer timer = new ManualTimer();
    private final CompletableFuture<String> call = JavaRetrier.builder(ONE_ATTEMPT)
            .executor(Runnable::run)
            .waiter(timer)
            .listener(ends)
            .build()
            .callAsyncWithAttempt(work);

    /** The attempt ends. */
    @Actor
    public void succeed() {
        work.succeed();
    }

    /** The limit fires. */
    @Actor
    public void fire() {
        timer.fire();
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        seen.r1 = Outcomes.of(call);
        seen.r2 = ends.text();
        seen.r3 = work.astray(call);
    }
}
