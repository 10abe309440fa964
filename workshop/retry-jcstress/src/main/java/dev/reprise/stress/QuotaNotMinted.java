package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.shell.quota.RetryQuota;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Tokens for one retry, and two calls that want them. */
@JCStressTest
@Outcome(
        id = {"true, false, 6", "false, true, 6"},
        expect = ACCEPTABLE,
        desc = "One of them pays.")
@State
public class QuotaNotMinted {
    private final RetryQuota quota = new RetryQuota(28, 20);

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

    /** The tokens left. */
    @Arbiter
    public void look(ZZI_Result seen) {
        seen.r3 = quota.getAvailable();
    }
}
