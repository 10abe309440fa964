package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.CallSetup;
import dev.reprise.core.RetryCall;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.SendRateLine;
import java.util.concurrent.CancellationException;

/** The named steps that the blocking and the asynchronous loop share, with each other and with the suspend one. */
final class Steps {
    private Steps() {}

    /** A call that has begun. */
    static RetryCall start(CallSetup setup, CallOptions options) {
        RetryCall call = new RetryCall(setup, options);
        call.begin();
        return call;
    }

    /** Whether a call needs no record while its first attempt is made; a send permit that was there is taken then. */
    static boolean isUnwatched(Retrier retrier, CallSetup setup) {
        return setup.isPlain() || setup.isMetered() && takesPermit(retrier);
    }

    /** The time of the first attempt that follows in a call without a record, if it is metered. */
    static long sendTime(CallSetup setup) {
        return setup.isMetered() ? setup.getClock().nanoTime() : RetryCall.NEVER;
    }

    /** Whether something stands before the next step: a delay, or a send permit that was not there at once. */
    static boolean mustWait(Retrier retrier, RetryCall call) {
        return call.getDelayNanos() > 0 || mustQueue(retrier, call);
    }

    /** Whether the next attempt needs a send permit that was not there at once. */
    static boolean mustQueue(Retrier retrier, RetryCall call) {
        return !call.isOver() && call.getSetup().isAdaptive() && !takesPermit(retrier);
    }

    /** Takes a send permit that is there at once. */
    static boolean takesPermit(Retrier retrier) {
        SendRateLine line = retrier.getLine();
        return line == null || line.tryAcquire();
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
