package dev.reprise.faults;

/** Decides what a {@link FaultServer} does. Called by many threads. */
@FunctionalInterface
public interface Script {
    /** What is done with {@code request}, the one of this {@code number}, from 0. */
    Reply replyTo(int number, Seen request);
}
