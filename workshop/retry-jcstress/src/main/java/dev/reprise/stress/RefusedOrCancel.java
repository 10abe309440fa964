package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The caller cancels while the permit is refused that the call waits for. */
@JCStressTest
@Outcome(id = "no permit, 1 end, 0 lost", expect = ACCEPTABLE, desc = "The refusal was first.")
@Outcome(id = "cancelled, 1 end, 0 lost", expect = ACCEPTABLE, desc = "The caller was first.")
@State
public class RefusedOrCancel {
    private final Queued queued = new Queued();

    /** The permit is refused. */
    @Actor
    public void refuse() {
        queued.gate.shut();
    }

    /** The caller cancels. */
    @Actor
    public void cancel() {
        queued.call.cancel(true);
    }

    /** The outcome. */
    @Arbiter
    public void look(LLL_Result seen) {
        Queued.await(() -> queued.call.isDone() && queued.ends.told() > 0);
        seen.r1 = Outcomes.of(queued.call);
        seen.r2 = queued.ends.text();
        seen.r3 = queued.lost(0) + " lost";
    }
}
