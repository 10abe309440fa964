package dev.reprise.stress;

import dev.reprise.core.NoPermit;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.java.JavaRetrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A call that stands in the line for a permit of its {@link Gate}. */
final class Queued {
    private static final RetryPolicy PATIENT = RetryPolicy.builder()
            .sendRate(SendRateSettings.EXACT)
            .onNoPermit(NoPermit.waitAtMost(Duration.ofHours(2)))
            .build();
    private static final long PATIENCE = 2_000_000_000L;

    final Gate gate = new Gate();
    final Ends ends = new Ends();
    private final AtomicInteger begun = new AtomicInteger();
    final CompletableFuture<String> call = JavaRetrier.builder(PATIENT)
            .sendRate(gate)
            .executor(Runnable::run)
            .listener(ends)
            .build()
            .callAsync(() -> {
                begun.incrementAndGet();
                return CompletableFuture.completedFuture(Work.RESULT);
            });

    /** Permits that were granted and are neither there nor used by an attempt. */
    int lost(int granted) {
        return granted - gate.permits() - begun.get();
    }

    /** Waits until {@code isSettled}: the line has threads of its own. */
    static void await(BooleanSupplier isSettled) {
        long end = System.nanoTime() + PATIENCE;
        while (!isSettled.getAsBoolean() && System.nanoTime() < end) LockSupport.parkNanos(1_000);
    }
}
