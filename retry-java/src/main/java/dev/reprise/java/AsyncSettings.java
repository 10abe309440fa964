package dev.reprise.java;

import java.util.concurrent.Executor;

/** How the futures of a retrier wait, and the executor that its user named; null if he named none. */
final class AsyncSettings {
    final JavaWaiter waiter;
    final Executor executor;

    AsyncSettings(JavaWaiter waiter, Executor executor) {
        this.waiter = waiter;
        this.executor = executor;
    }

    /** Whether time is real. Where a program simulates it, limits and waits end on the program's own threads. */
    boolean isReal() {
        return waiter == JavaWaiter.SYSTEM;
    }
}
