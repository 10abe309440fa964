package dev.reprise.faults;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * A process's threads, heap and descriptors. Two of these with many calls between them tell a leak from caches for the
 * next call, if the first was taken after as many calls: only a leak has grown.
 */
record Leftovers(int threads, long heapBytes, long descriptors) {
    private static final int MOST_COLLECTIONS = 10;
    private static final int QUIET_COLLECTIONS = 3;

    /** The present counts, after garbage collection; descriptors are 0 if the system does not tell them. */
    static Leftovers now() throws InterruptedException {
        long heap = measureHeap();
        return new Leftovers(countThreads(), heap, countDescriptors());
    }

    /** The threads, without those of a {@link FaultServer}. */
    private static int countThreads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().equals(FaultServer.THREADS))
                .count();
    }

    /** Collects garbage until several collections in a row free nothing more: cleaners and references work in steps. */
    private static long measureHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        int quiet = 0;
        for (int i = 0; i < MOST_COLLECTIONS && quiet < QUIET_COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(50);
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            quiet = used < least ? 0 : quiet + 1;
            least = Math.min(least, used);
        }
        return least;
    }

    private static long countDescriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }
}
