package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.quota.RetryQuota;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Tokens for one retry, two calls that want them, and a third one that gives its own back. */
@JCStressTest
@Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Both, after what came back.")
@Outcome(
        id = {"true, false, 14", "false, true, 14"},
        expect = ACCEPTABLE,
        desc = "One, before it came back.")
@State
public class QuotaNotMinted {
    private final RetryQuota quota = new RetryQuota(28, 14);

    /** One call pays. */
    @Actor
    public void one(ZZI_Result seen) {
        seen.r1 = quota.tryTake(14);
    }

    /** So does another one. */
    @Actor
    public void other(ZZI_Result seen) {
        seen.r2 = quota.tryTake(14);
    }

    /** A third one succeeds. */
    @Actor
    public void third() {
        quota.refund(14);
    }

    /** What is left. */
    @Arbiter
    public void look(ZZI_Result seen) {
        seen.r3 = quota.getAvailable();
    }
}
