package dev.reprise.stress;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.NoPermitException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** How a call ended, in a word for the tables of jcstress. */
final class Outcomes {
    private Outcomes() {}

    /**
     * The value of {@code call}, or its failure, or "open". An actor that finds a wait ended gives its turn to the
     * pool, as its own thread is the executor: that turn is waited for.
     */
    static String of(CompletableFuture<String> call) {
        ForkJoinPool.commonPool().awaitQuiescence(10, TimeUnit.SECONDS);
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
