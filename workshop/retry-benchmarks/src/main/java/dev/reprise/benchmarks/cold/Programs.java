package dev.reprise.benchmarks.cold;

import dev.failsafe.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.presets.Presets;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.time.Duration;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RetryToken;

/** {@link Floor} with a library: each makes what its users make, and one call. */
final class Programs {
    private static final Duration WAIT = Duration.ofMillis(Floor.WAIT_MILLIS);

    private Programs() {}

    static final class Reprise {
        public static void main(String[] arguments) throws Exception {
            long start = System.nanoTime();
            dev.reprise.core.RetryPolicy policy =
                    dev.reprise.core.RetryPolicy.builder().fixedBackoff(WAIT).build();
            JavaRetrier.of(policy).call(Floor::work);
            Floor.print(start);
        }
    }

    static final class RepriseByName {
        public static void main(String[] arguments) throws Exception {
            long start = System.nanoTime();
            dev.reprise.core.RetryPolicy policy =
                    Presets.named("standard-2.1").toBuilder().fixedBackoff(WAIT).build();
            JavaRetrier.of(policy).call(Floor::work);
            Floor.print(start);
        }
    }

    static final class Failsafe {
        public static void main(String[] arguments) {
            long start = System.nanoTime();
            RetryPolicy<String> policy = RetryPolicy.<String>builder()
                    .handle(IOException.class)
                    .withDelay(WAIT)
                    .build();
            dev.failsafe.Failsafe.with(policy).get(Floor::work);
            Floor.print(start);
        }
    }

    static final class Resilience4j {
        public static void main(String[] arguments) throws Exception {
            long start = System.nanoTime();
            RetryConfig config = RetryConfig.custom().waitDuration(WAIT).build();
            Retry.of("cold", config).executeCallable(Floor::work);
            Floor.print(start);
        }
    }

    static final class AwsStrategy {
        public static void main(String[] arguments) throws Exception {
            long start = System.nanoTime();
            StandardRetryStrategy strategy = StandardRetryStrategy.builder()
                    .retryOnException(IOException.class)
                    .backoffStrategy(BackoffStrategy.fixedDelayWithoutJitter(WAIT))
                    .build();
            RetryToken token = strategy.acquireInitialToken(AcquireInitialTokenRequest.create("cold"))
                    .token();
            while (true) {
                try {
                    Floor.work();
                    break;
                } catch (IOException e) {
                    var refresh = strategy.refreshRetryToken(RefreshRetryTokenRequest.builder()
                            .token(token)
                            .failure(e)
                            .build());
                    token = refresh.token();
                    Thread.sleep(refresh.delay().toMillis());
                }
            }
            strategy.recordSuccess(RecordSuccessRequest.create(token));
            Floor.print(start);
        }
    }
}
