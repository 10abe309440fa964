package dev.reprise.samples.migrating;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;

final class FailsafeUsers implements Users {
    private final Api api;

    FailsafeUsers(Api api) {
        this.api = api;
    }

    private final FailsafeExecutor<String> retrying = Failsafe.with(RetryPolicy.<String>builder()
            .handle(IOException.class)
            .abortOn(FileNotFoundException.class)
            .withBackoff(Duration.ofMillis(10), Duration.ofSeconds(1))
            .withMaxRetries(3)
            .withMaxDuration(Duration.ofSeconds(30))
            .build());

    public String user(String id) {
        return retrying.get(() -> api.fetch(id));
    }
}
