package dev.reprise.stress;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.NoPermitException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** How a call ended, in a word for the tables of jcstress. */
final class Outcomes {
    private Outcomes() {}

    /** The value of {@code call}, or its failure, or "open". */
    static String of(CompletableFuture<String> call) {
        if (!call.isDone()) return "open";
        try {
            return call.join();
        } catch (CancellationException e) {
            return "cancelled";
        } catch (CompletionException e) {
            return of(e.getCause());
        }
    }

    private static String of(Throwable failure) {
        if (failure instanceof AttemptTimeoutException) return "timed out";
        if (failure instanceof NoPermitException) return "no permit";
        return failure.toString();
    }
}
