package dev.reprise.faults;

import dev.reprise.core.RetryTrace;
import java.util.concurrent.Callable;

/**
 * The end of one call as a client's caller sees it: status and body of the response, or the exception, and whether that
 * had a trace of its attempts.
 */
public record Observation(int status, String body, Throwable thrown, boolean hasTrace) {
    /** A response. */
    public static Observation of(int status, String body) {
        return new Observation(status, body, null, false);
    }

    /** The end of {@code call} for its caller. */
    public static Observation of(Callable<Observation> call) {
        try {
            return call.call();
        } catch (Exception e) {
            return new Observation(-1, "", e, RetryTrace.of(e) != null);
        }
    }

    /** Whether the caller has what the server gives when it is well. */
    boolean isGood() {
        return status == 200 && body.equals(Fault.BODY);
    }

    /**
     * Whether the server did not break in time, which one of HTTP/2 sometimes fails to on a busy machine: there was no
     * fault.
     */
    boolean isUnbroken() {
        return status == 200 && body.equals(Scenario.LONG_BODY);
    }

    /** Whether the caller was told that it is good, and it is not. */
    boolean isLie() {
        return status == 200 && !body.equals(Fault.BODY);
    }
}
