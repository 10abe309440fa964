package dev.reprise.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * A blocking call, whose first attempt fails and whose second one succeeds, is interrupted at any moment. The interrupt
 * ends the call, or is still there when the call has returned; a retry that was not begun is not paid for.
 */
@JCStressTest
@Outcome(id = "result, 1 end, 500 flag", expect = ACCEPTABLE, desc = "The interrupt came after the last look at it.")
@Outcome(id = "interrupted, 1 end, 500", expect = ACCEPTABLE, desc = "It came before the second attempt.")
@State
public class InterruptOrReturn {
    private static final RetryPolicy AT_ONCE =
            RetryPolicy.builder().backoff(Backoff.IMMEDIATE).build();

    private final Ends ends = new Ends();
    private final JavaRetrier retrier =
            JavaRetrier.builder(AT_ONCE).listener(ends).build();
    private volatile Thread caller;
    private volatile boolean isSent;

    /** The call, and after it the wait for the interrupt, so that none reaches jcstress. */
    @Actor
    public void call(LLL_Result seen) {
        caller = Thread.currentThread();
        try {
            seen.r1 = retrier.callInterruptiblyWithAttempt(attempt -> {
                if (attempt.getNumber() == 1) throw new IOException("reset");
                return Work.RESULT;
            });
        } catch (InterruptedException e) {
            seen.r1 = "interrupted";
        } catch (IOException e) {
            seen.r1 = e.toString();
        }
        while (!isSent) Thread.onSpinWait();
        boolean isFlagged = Thread.interrupted();
        seen.r2 = ends.text();
        seen.r3 = retrier.retrier().getQuota().getAvailable() + (isFlagged ? " flag" : "");
    }

    /** The interrupt. */
    @Actor
    public void interrupt() {
        while (caller == null) Thread.onSpinWait();
        caller.interrupt();
        isSent = true;
    }
}
