package dev.reprise.samples.migrating;

import dev.reprise.core.Jitter;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import dev.reprise.java.JavaRetrier;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;

final class AfterResilience4jUsers implements Users {
    private final Api api;

    AfterResilience4jUsers(Api api) {
        this.api = api;
    }

    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
            .maxAttempts(4)
            .exponentialBackoff(Duration.ofMillis(10), Duration.ofSeconds(1), Jitter.NONE)
            .retryOn(IOException.class)
            .rejectOn(FileNotFoundException.class)
            .onResult(result -> "".equals(result) ? Verdict.TRANSIENT : null)
            .build());

    public String user(String id) throws IOException {
        return retrier.call(() -> api.fetch(id));
    }
}
