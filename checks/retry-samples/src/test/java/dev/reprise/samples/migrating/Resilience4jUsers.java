package dev.reprise.samples.migrating;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;

final class Resilience4jUsers implements Users {
    private final Api api;

    Resilience4jUsers(Api api) {
        this.api = api;
    }

    private final Retry retry = Retry.of(
            "users",
            RetryConfig.<String>custom()
                    .maxAttempts(4)
                    .intervalFunction(IntervalFunction.ofExponentialBackoff(Duration.ofMillis(10), 2.0))
                    .retryExceptions(IOException.class)
                    .ignoreExceptions(FileNotFoundException.class)
                    .retryOnResult(String::isEmpty)
                    .build());

    public String user(String id) throws Exception {
        return retry.executeCallable(() -> api.fetch(id));
    }
}
