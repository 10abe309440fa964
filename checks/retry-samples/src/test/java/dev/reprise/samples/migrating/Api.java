package dev.reprise.samples.migrating;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A service that plays a script, one step for each attempt; the last step is played for ever. */
public final class Api {
    /** What an attempt meets. */
    public enum Step {
        FOUND,
        EMPTY,
        DOWN,
        MISSING,
        BROKEN
    }

    private final List<Step> script;
    private final AtomicInteger attempts = new AtomicInteger();

    public Api(List<Step> script) {
        this.script = script;
    }

    public int attempts() {
        return attempts.get();
    }

    public String fetch(String id) throws IOException {
        int attempt = attempts.getAndIncrement();
        return switch (script.get(Math.min(attempt, script.size() - 1))) {
            case FOUND -> "user " + id;
            case EMPTY -> "";
            case DOWN -> throw new IOException("down");
            case MISSING -> throw new FileNotFoundException("missing");
            case BROKEN -> throw new IllegalStateException("broken");
        };
    }
}
