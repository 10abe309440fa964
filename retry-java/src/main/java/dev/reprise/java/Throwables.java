package dev.reprise.java;

import dev.reprise.core.Verdict;
import dev.reprise.core.shell.CausesKt;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.call.ServedRequest;
import dev.reprise.core.shell.call.Thrown;
import dev.reprise.core.shell.layers.AttemptScope;
import dev.reprise.coroutines.shell.StepEnd;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import kotlinx.coroutines.TimeoutCancellationException;

/** Helpers of both loops for work and its exceptions. */
final class Throwables {
    private Throwables() {}

    /** Throws {@code failure} of any type: one that the work declared, or an unchecked one. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException rethrow(Throwable failure) throws X {
        throw (X) failure;
    }

    /** Returns {@code failure} without the wrappers of futures. */
    static Throwable withoutWrappers(Throwable failure) {
        Throwable inner = failure;
        for (int depth = 0; depth < CausesKt.MAX_CAUSES; depth++) {
            boolean isWrapper = inner instanceof CompletionException || inner instanceof ExecutionException;
            Throwable cause = isWrapper ? CausesKt.causeOf(inner) : null;
            if (cause == null) break;
            inner = cause;
        }
        return inner;
    }

    /**
     * The meaning of an attempt's {@code failure}. The end of a {@code withTimeout} is a timeout: it can only be one
     * inside the attempt, since a call on these faces is cancelled by an interrupt, or by its future.
     */
    static Thrown meaningOf(Throwable failure) {
        return Thrown.meaningOf(failure, failure instanceof TimeoutCancellationException);
    }

    /** What {@code work} gives on this thread, which serves {@code request} meanwhile. */
    static <T, X extends Throwable> T serving(ServedRequest request, ThrowingSupplier<T, X> work) throws X {
        if (request == ServedRequest.current()) return work.get();
        ServedRequest before = ServedRequest.putOnThread(request);
        try {
            return work.get();
        } finally {
            ServedRequest.putOnThread(before);
        }
    }

    /** Discards {@code result}, which came too late. If that throws, {@code carrier} carries it, unless it is null. */
    static <T> void discard(Discarding<T> work, T result, Throwable carrier) {
        try {
            work.discard(result);
        } catch (Throwable e) {
            if (carrier != null) carrier.addSuppressed(e);
        }
    }

    /**
     * Reports the {@code end} of an execution to {@code race}: whether that is over. A copy that {@code isRefused} by
     * its executor is lost, and not the call.
     */
    static boolean endsRace(HedgeRace race, boolean isCopy, StepEnd<?> end, boolean isRefused, AttemptScope scope) {
        if (end.failure == null) return race.returned(isCopy, end.value, scope);
        // Whoever interrupts the thread of a copy, as a pool that closes does, ends the copy and not the call.
        boolean isLost = isCopy && (isRefused || end.failure instanceof InterruptedException);
        Thrown thrown = isLost ? Thrown.FAILURE : Throwables.meaningOf(end.failure);
        return race.threw(isCopy, end.failure, thrown, isLost ? Verdict.TRANSIENT : null, scope);
    }
}
