package dev.reprise.stress;

import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the end events of a call: one, if all is well. */
final class Ends implements RetryListener {
    private final AtomicInteger told = new AtomicInteger();

    @Override
    public void onEvent(RetryEvent event) {
        boolean isEnd = event instanceof RetryEvent.CallSucceeded
                || event instanceof RetryEvent.CallGaveUp
                || event instanceof RetryEvent.CallCancelled;
        if (isEnd) told.incrementAndGet();
    }

    int told() {
        return told.get();
    }

    /** "1 end", if all is well. */
    String text() {
        return told + " end";
    }
}
