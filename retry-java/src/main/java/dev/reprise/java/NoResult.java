package dev.reprise.java;

import dev.reprise.core.classify.HttpOutcome;
import dev.reprise.core.classify.Verdict;

/**
 * What work without a result returns to the loops. It brings its verdict, so that no classifier is asked: one that
 * retries a {@code null} would repeat work that has succeeded.
 */
final class NoResult extends HttpOutcome {
    static final NoResult DONE = new NoResult();

    private NoResult() {}

    @Override
    public Verdict getVerdict() {
        return Verdict.Accept.INSTANCE;
    }

    @Override
    public int getStatus() {
        return 204;
    }

    @Override
    public String header(String name) {
        return null;
    }

    @Override
    public String toString() {
        return "no result";
    }
}
