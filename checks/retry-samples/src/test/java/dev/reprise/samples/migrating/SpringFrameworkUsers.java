package dev.reprise.samples.migrating;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.springframework.resilience.annotation.Retryable;

class SpringFrameworkUsers implements Users {
    private final Api api;

    SpringFrameworkUsers(Api api) {
        this.api = api;
    }

    @Retryable(
            includes = IOException.class,
            excludes = FileNotFoundException.class,
            maxRetries = 3,
            delay = 10,
            multiplier = 2,
            maxDelay = 1000)
    public String user(String id) throws IOException {
        return api.fetch(id);
    }
}
