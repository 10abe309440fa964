package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.CallSetup;
import dev.reprise.core.RetryCall;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.SendRateLine;
import java.util.concurrent.CancellationException;

/** What the blocking and the asynchronous loop share beyond the named steps of the suspend one, {@code CallSteps}. */
final class Steps {
    private Steps() {}

    /** A call that has begun. */
    static RetryCall start(CallSetup setup, CallOptions options) {
        RetryCall call = new RetryCall(setup, options);
        call.begin();
        return call;
    }

    /** Whether the next attempt needs a send permit that was not there at once. */
    static boolean mustQueue(Retrier retrier, RetryCall call) {
        if (call.isOver() || !call.getSetup().isAdaptive()) return false;
        SendRateLine line = retrier.getLine();
        return line != null && !line.tryAcquire();
    }

    /** The wait for a send permit is over: {@code waited} ns, or negative if there is none to be had. */
    static void queued(RetryCall call, long waited) {
        if (waited >= 0) call.permitted(waited);
        else call.permitRefused();
    }

    /** Whether {@code failure} says that somebody no longer wants the call's result. */
    static boolean isCancellation(Throwable failure) {
        return failure instanceof CancellationException || failure instanceof InterruptedException;
    }

    /** Throws {@code failure} whatever its type is: one that the work declared, or an unchecked one. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException rethrow(Throwable failure) throws X {
        throw (X) failure;
    }
}
