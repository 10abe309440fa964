package dev.reprise.java;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.time.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Time that passes only when somebody waits, on the one thread of a test. */
public final class VirtualTime implements NanoClock, JavaWaiter {
    private record Task(long at, long number, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
    private final List<Long> waits = new ArrayList<>();
    private long now;
    private long numbers;

    /** Time that begins at zero. */
    public VirtualTime() {}

    /** A builder of a retrier of {@code policy} that lives in this time and draws the longest delays. */
    public JavaRetrierBuilder retrier(RetryPolicy policy) {
        return JavaRetrier.builder().policy(policy).clock(this).waiter(this).draws(() -> 1.0);
    }

    /** All waits of calls so far, in ns. */
    public List<Long> waits() {
        return waits;
    }

    /** How many tasks wait for their time. */
    public int pending() {
        return tasks.size();
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void await(Duration duration) throws InterruptedException {
        waits.add(duration.toNanos());
        pass(duration.toNanos());
    }

    /** Lets time pass on this thread, as a wait or as work does; an interrupt ends it when it comes. */
    public void pass(long nanos) throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        long end = now + nanos;
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            runNext();
            if (Thread.interrupted()) throw new InterruptedException();
        }
        now = end;
    }

    @Override
    public Runnable after(Duration duration, Runnable work) {
        return after(duration.toNanos(), work);
    }

    /** Runs {@code work} in {@code nanos} ns. Returns what cancels it. */
    public Runnable after(long nanos, Runnable work) {
        Task task = new Task(now + nanos, numbers++, work);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Lets time pass until nothing is left to happen. */
    public void runAll() {
        while (!tasks.isEmpty()) runNext();
    }

    /** Jumps to the next task and runs it. */
    public void runNext() {
        Task task = tasks.remove();
        now = task.at;
        task.work.run();
    }
}
