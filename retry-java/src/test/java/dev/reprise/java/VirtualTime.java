package dev.reprise.java;

import dev.reprise.core.NanoClock;
import dev.reprise.core.RetryPolicy;
import dev.reprise.virtualtime.Event;
import dev.reprise.virtualtime.EventQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;

/** Time that passes only when somebody waits, on the one thread of a test. */
public final class VirtualTime implements NanoClock, JavaWaiter {
    private final EventQueue queue = new EventQueue();
    private final List<Long> waits = new ArrayList<>();

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
        return queue.getSize();
    }

    @Override
    public long nanoTime() {
        return queue.getNow();
    }

    @Override
    public void await(Duration duration) throws InterruptedException {
        waits.add(duration.toNanos());
        pass(duration.toNanos());
    }

    /** Lets time pass on this thread, as a wait or as work does; an interrupt ends it when it comes. */
    public void pass(long nanos) throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        long end = queue.getNow() + nanos;
        while (queue.getNextAt() <= end) {
            runNext();
            if (Thread.interrupted()) throw new InterruptedException();
        }
        queue.runUntil(end);
    }

    @Override
    public Runnable after(Duration duration, Runnable work) {
        return after(duration.toNanos(), work);
    }

    /** Runs {@code work} in {@code nanos} ns. Returns what cancels it. */
    public Runnable after(long nanos, Runnable work) {
        Event event = queue.schedule(queue.getNow() + nanos, work);
        return () -> queue.cancel(event);
    }

    /** Lets time pass until nothing is left to happen. */
    public void runAll() {
        queue.runAll();
    }

    /** Jumps to the next task and runs it. */
    public void runNext() {
        if (!queue.runNext()) throw new NoSuchElementException("nothing is left to happen");
    }
}
