package dev.reprise.java;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** An attempt's timeout interrupts it while it ends: both agree on the order, and no interrupt is left. */
@JCStressTest
@Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "The timeout was first.")
@Outcome(id = "false, false, false", expect = ACCEPTABLE, desc = "The attempt was first.")
@State
public class GuardOrEnd {
    private volatile AttemptGuard guard;
    private volatile boolean isOver;

    /** The attempt, on its thread; it waits for the timeout's return, so that a late interrupt is seen. */
    @Actor
    public void attempt(ZZZ_Result seen) {
        AttemptGuard mine = new AttemptGuard();
        guard = mine;
        seen.r1 = mine.end();
        while (!isOver) Thread.onSpinWait();
        seen.r3 = Thread.interrupted();
    }

    /** The timeout. */
    @Actor
    public void timeout(ZZZ_Result seen) {
        while (guard == null) Thread.onSpinWait();
        seen.r2 = guard.interrupt();
        isOver = true;
    }
}
