package dev.reprise.faults;

/** Decides what a {@link FaultServer} does. Called by many threads. */
@FunctionalInterface
public interface Script {
    /** The reaction to {@code request}, the one with this {@code number}, from 0. */
    Reply replyTo(int number, Seen request);
}
