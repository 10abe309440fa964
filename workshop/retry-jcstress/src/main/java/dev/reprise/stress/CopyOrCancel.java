package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

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
    private final Hedged hedged = new Hedged();

    /** The caller cancels. */
    @Actor
    public void cancel() {
        hedged.call.cancel(true);
    }

    /** The first execution has taken long enough: the copy begins, and ends at once. */
    @Actor
    public void copy() {
        hedged.copy();
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        hedged.look(seen);
    }
}
