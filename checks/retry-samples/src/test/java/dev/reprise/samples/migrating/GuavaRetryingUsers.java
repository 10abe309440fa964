package dev.reprise.samples.migrating;

import com.github.rholder.retry.Retryer;
import com.github.rholder.retry.RetryerBuilder;
import com.github.rholder.retry.StopStrategies;
import com.github.rholder.retry.WaitStrategies;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

final class GuavaRetryingUsers implements Users {
    private final Api api;

    GuavaRetryingUsers(Api api) {
        this.api = api;
    }

    private final Retryer<String> retryer = RetryerBuilder.<String>newBuilder()
            .retryIfExceptionOfType(IOException.class)
            .retryIfResult(String::isEmpty)
            .withWaitStrategy(WaitStrategies.exponentialWait(5, 1, TimeUnit.SECONDS))
            .withStopStrategy(StopStrategies.stopAfterAttempt(4))
            .build();

    public String user(String id) throws Exception {
        return retryer.call(() -> api.fetch(id));
    }
}
