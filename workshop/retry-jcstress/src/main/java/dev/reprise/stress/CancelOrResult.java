package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.java.JavaRetrier;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The caller cancels while the attempt ends. */
@JCStressTest
@Outcome(id = "result, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The attempt was first.")
@Outcome(id = "cancelled, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The caller was first.")
@State
public class CancelOrResult {
    private final Ends ends = new Ends();
    private final Work work = new Work();
    private final CompletableFuture<String> call =
            JavaRetrier.builder().executor(Runnable::run).listener(ends).build().callAsyncWithAttempt(work);

    /** The attempt ends. */
    @Actor
    public void succeed() {
        work.succeed();
    }

    /** The caller cancels. */
    @Actor
    public void cancel() {
        call.cancel(true);
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        seen.r1 = Outcomes.of(call);
        seen.r2 = ends.text();
        seen.r3 = work.astray(call);
    }
}
