package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.java.JavaRetrier;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;

/** The future is completed from outside while the attempt ends: it completes once, for its dependents too. */
@JCStressTest
@Outcome(id = "result, 1 end, 0 astray, 1 told", expect = ACCEPTABLE, desc = "The attempt was first.")
@Outcome(id = "mine, 1 end, 0 astray, 1 told", expect = ACCEPTABLE, desc = "Who was outside was first.")
@State
public class CompletedFromOutside {
    private final Ends ends = new Ends();
    private final Work work = new Work();
    private final AtomicInteger told = new AtomicInteger();
    private final CompletableFuture<String> call =
            JavaRetrier.builder().executor(Runnable::run).listener(ends).build().callAsyncWithAttempt(work);

    /** A call with one dependent. */
    public CompletedFromOutside() {
        call.whenComplete((result, failure) -> told.incrementAndGet());
    }

    /** The attempt ends. */
    @Actor
    public void succeed() {
        work.succeed();
    }

    /** The future is completed from outside. */
    @Actor
    public void mine() {
        call.complete("mine");
    }

    /** The outcome. */
    @Arbiter
    public void look(LLLL_Result seen) {
        seen.r1 = Outcomes.of(call);
        seen.r2 = ends.text();
        seen.r3 = work.astray(call);
        seen.r4 = told + " told";
    }
}
