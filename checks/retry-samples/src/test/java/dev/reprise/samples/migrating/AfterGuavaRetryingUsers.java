package dev.reprise.samples.migrating;

import dev.reprise.core.Jitter;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.time.Duration;

final class AfterGuavaRetryingUsers implements Users {
    private final Api api;

    AfterGuavaRetryingUsers(Api api) {
        this.api = api;
    }

    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
            .retryOn(IOException.class)
            .onResult(result -> "".equals(result) ? Verdict.TRANSIENT : null)
            .onBadResult(OnBadResult.THROW)
            .exponentialBackoff(Duration.ofMillis(10), Duration.ofSeconds(1), Jitter.NONE)
            .maxAttempts(4)
            .build());

    public String user(String id) throws IOException {
        return retrier.call(() -> api.fetch(id));
    }
}
