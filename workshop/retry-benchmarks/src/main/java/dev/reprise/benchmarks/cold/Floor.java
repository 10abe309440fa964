package dev.reprise.benchmarks.cold;

import java.io.IOException;
import java.util.concurrent.Callable;

/** The same work without a library: a block that fails once, and the wait between its two attempts. */
public final class Floor {
    static final int WAIT_MILLIS = 25;

    private static int attempts;

    private Floor() {}

    /** The work that all programs retry. */
    static String work() throws IOException {
        if (attempts++ == 0) throw new IOException("once");
        return "done";
    }

    /** Prints the microseconds since {@code startNanos}. */
    static void print(long startNanos) {
        System.out.println((System.nanoTime() - startNanos) / 1000);
    }

    public static void main(String[] arguments) throws Exception {
        long start = System.nanoTime();
        Callable<String> work = Floor::work;
        try {
            work.call();
        } catch (IOException e) {
            Thread.sleep(WAIT_MILLIS);
            work.call();
        }
        print(start);
    }
}
