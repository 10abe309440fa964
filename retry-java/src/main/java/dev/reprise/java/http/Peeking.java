package dev.reprise.java.http;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.classify.BodyNeed;
import java.net.http.HttpResponse.ResponseInfo;

/** How much of which bodies is read for the policy before it decides. */
record Peeking(BodyNeed need, int bytes) {
    /** What is read for a policy that asks for bodies if the builder was told nothing. */
    private static final int MOST = 64 * 1024;

    /** For {@code policy}: what it asks for, and of failures {@code errorBodyBytes}. */
    static Peeking of(RetryPolicy policy, int errorBodyBytes) {
        BodyNeed need = BodyNeed.of(policy.getClassifier());
        if (need == BodyNeed.NONE && errorBodyBytes > 0) return new Peeking(BodyNeed.FAILURES, errorBodyBytes);
        return new Peeking(need, errorBodyBytes > 0 ? errorBodyBytes : MOST);
    }

    int bytesOf(ResponseInfo info) {
        return switch (need) {
            case NONE -> 0;
            case FAILURES -> info.statusCode() < 300 ? 0 : bytes;
            case ALL -> bytes;
        };
    }
}
