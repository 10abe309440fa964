package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A slow first execution ends while its copy begins and ends. */
@JCStressTest
@Outcome(id = "first, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The first execution was first.")
@Outcome(id = "copy, 1 end, 0 astray", expect = ACCEPTABLE, desc = "The copy was first.")
@State
public class CopyOrFirst {
    private final Hedged hedged = new Hedged();

    /** The first execution ends. */
    @Actor
    public void endFirst() {
        hedged.work.endFirst();
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
