package dev.reprise.java;

import java.util.concurrent.Executor;

/** How the futures of a retrier wait, and the executor that its user named; null if he named none. */
record AsyncSettings(JavaWaiter waiter, Executor executor) {
    /** Whether time is real. Where a program simulates it, limits and waits end on the program's own threads. */
    boolean isReal() {
        return waiter == JavaWaiter.SYSTEM;
    }
}
