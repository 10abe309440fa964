package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The caller cancels while the permit comes that the call waits for: it is used, or it is there again. */
@JCStressTest
@Outcome(id = "result, 1 end, 0 lost", expect = ACCEPTABLE, desc = "The permit was first.")
@Outcome(id = "cancelled, 1 end, 0 lost", expect = ACCEPTABLE, desc = "The caller was first.")
@State
public class PermitOrCancel {
    private final Queued queued = new Queued();

    /** The permit comes. */
    @Actor
    public void grant() {
        queued.gate.grant();
    }

    /** The caller cancels. */
    @Actor
    public void cancel() {
        queued.call.cancel(true);
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        Queued.await(() -> queued.call.isDone() && queued.ends.told() > 0 && queued.lost(1) == 0);
        seen.r1 = Outcomes.of(queued.call);
        seen.r2 = queued.ends.text();
        seen.r3 = queued.lost(1) + " lost";
    }
}
