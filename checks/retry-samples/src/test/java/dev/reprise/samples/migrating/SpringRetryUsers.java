package dev.reprise.samples.migrating;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Retryable;

class SpringRetryUsers implements Users {
    private final Api api;

    SpringRetryUsers(Api api) {
        this.api = api;
    }

    @Retryable(
            retryFor = IOException.class,
            noRetryFor = FileNotFoundException.class,
            maxAttempts = 4,
            backoff = @Backoff(delay = 10, multiplier = 2, maxDelay = 1000))
    public String user(String id) throws IOException {
        return api.fetch(id);
    }
}
