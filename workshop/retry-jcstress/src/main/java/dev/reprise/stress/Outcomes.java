package dev.reprise.stress;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.NoPermitException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How a call ended, in a word for the tables of jcstress. */
final class Outcomes {
    private Outcomes() {}

    /**
     * The value of {@code call}, or its failure, or "open". An actor that finds a wait ended gives its turn to the
     * pool, as its own thread is the executor: that turn is waited for. The pool alone does not tell when it is over:
     * it does not count a turn that another thread runs while it waits here too.
     */
    static String of(CompletableFuture<String> call) {
        try {
            return call.get(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "open";
        } catch (CancellationException e) {
            return "cancelled";
        } catch (InterruptedException | ExecutionException e) {
            return of(e.getCause());
        } finally {
            ForkJoinPool.commonPool().awaitQuiescence(10, TimeUnit.SECONDS);
        }
    }

    private static String of(Throwable failure) {
        if (failure instanceof AttemptTimeoutException) return "timed out";
        if (failure instanceof NoPermitException) return "no permit";
        return failure.toString();
    }
}
