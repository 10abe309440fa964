package dev.reprise.samples.migrating;

import dev.reprise.core.Jitter;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;

final class AfterFailsafeUsers implements Users {
    private final Api api;

    AfterFailsafeUsers(Api api) {
        this.api = api;
    }

    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
            .retryOn(IOException.class)
            .rejectOn(FileNotFoundException.class)
            .exponentialBackoff(Duration.ofMillis(10), Duration.ofSeconds(1), Jitter.NONE)
            .maxAttempts(4)
            .stopAfter(Duration.ofSeconds(30))
            .build());

    public String user(String id) throws IOException {
        return retrier.call(() -> api.fetch(id));
    }
}
