package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.SteadyQuotaSettings;
import dev.reprise.core.shell.quota.Quotas;
import dev.reprise.core.shell.quota.SteadyQuota;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZL_Result;

/** Two calls of one operation pay from its share of a steady quota and give back: the share is whole again. */
@JCStressTest
@Outcome(id = "true, true, whole", expect = ACCEPTABLE, desc = "There was enough for both.")
@State
public class ShareNotMinted {
    private static final String OPERATION = "work";

    private final SteadyQuota quota = (SteadyQuota) Quotas.newQuota(SteadyQuotaSettings.DEFAULT, () -> 0);
    private final int whole = quota.available(OPERATION);

    /** One call pays, and gives back. */
    @Actor
    public void one(ZZL_Result seen) {
        seen.r1 = payAndGiveBack();
    }

    /** So does another one. */
    @Actor
    public void other(ZZL_Result seen) {
        seen.r2 = payAndGiveBack();
    }

    private boolean payAndGiveBack() {
        boolean isPaid = quota.tryTake(14, OPERATION);
        if (isPaid) quota.giveBack(14, OPERATION);
        return isPaid;
    }

    /** The tokens left. */
    @Arbiter
    public void look(ZZL_Result seen) {
        int left = quota.available(OPERATION);
        seen.r3 = left == whole ? "whole" : left + " of " + whole;
    }
}
