package dev.reprise.samples.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetrierCache;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryEventListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import dev.reprise.java.JavaRetrier;
import dev.reprise.jdkhttp.RetryingHttpClient;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The snippets of the guide for Java, at work on a client that fails every other time. */
final class JavaSample {
    private static final class Client {
        private int calls;

        String fetch(String id) throws IOException {
            if (++calls % 2 == 1) throw new IOException("reset");
            return "user " + id;
        }

        CompletableFuture<String> fetchAsync(String id) {
            try {
                return CompletableFuture.completedFuture(fetch(id));
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        String pay(String id) throws IOException {
            return fetch(id) + " has paid";
        }
    }

    private final Client client = new Client();
    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);

    private String blocking(String id) throws IOException {
        return retrier.call(() -> client.fetch(id));
    }

    private String interruptible(String id) throws IOException, InterruptedException {
        return retrier.callInterruptibly(() -> client.fetch(id));
    }

    private CompletableFuture<String> later(String id) {
        return retrier.callAsync(() -> client.fetchAsync(id));
    }

    private CompletableFuture<String> elsewhere(String id, ExecutorService executor) {
        return retrier.callAsync(() -> client.fetch(id), executor);
    }

    private String withContext(String id) throws IOException {
        return retrier.callWithAttempt(attempt -> {
            if (attempt.getNumber() > 1) log("again, after " + attempt.getLastFailure());
            return client.fetch(id);
        });
    }

    private static final CallOptions PAY = CallOptions.builder().operation("pay").repeat(Repeat.IF_UNSENT).build();

    private final JavaRetrier payments = retrier.withOptions(PAY);

    private String once(String id) throws IOException {
        return payments.call(() -> client.pay(id));
    }

    private String look(String id) {
        RetryOutcome<String> outcome = retrier.outcome(() -> client.fetch(id));
        log(outcome.getAttempts() + " attempts: " + outcome.getReason());
        return outcome.getOrThrow();
    }

    private static JavaRetrier configured() {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(5)
                .exponentialBackoff(Duration.ofMillis(10), Duration.ofSeconds(2))
                .deadline(Duration.ofSeconds(10))
                .attemptTimeout(Duration.ofSeconds(3))
                .retryOn(IllegalStateException.class)
                .onResult(result -> "try again".equals(result) ? Verdict.THROTTLING : null)
                .build();
        return JavaRetrier.builder()
                .policy(policy)
                .listener(new RetryEventListener() {
                    @Override
                    public void onRetryScheduled(RetryEvent.RetryScheduled event) {
                        log("waits " + event.getDelay());
                    }
                })
                .build();
    }

    private final RetrierCache<String, JavaRetrier> retriers =
            new RetrierCache<>(100, host -> JavaRetrier.of(RetryPolicy.ADAPTIVE_STEADY));

    private String perHost(String host, String id) throws IOException {
        return retriers.get(host).call(() -> client.fetch(id));
    }

    private static String changed(JavaRetrier retrier, RetryPolicy policy) {
        JavaRetrier patient = retrier.with(policy.toBuilder().maxAttempts(8).build());
        retrier.update(policy);
        return patient.policy().getMaxAttempts() + " and " + retrier.policy().getMaxAttempts() + " attempts";
    }

    private static HttpClient http() {
        HttpClient http = RetryingHttpClient.of(HttpClient.newHttpClient());
        return http;
    }

    private static void log(String line) {
        System.out.println(line);
    }

    public static void main(String[] args) throws Exception {
        JavaSample sample = new JavaSample();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        log(sample.blocking("1"));
        log(sample.interruptible("2"));
        log(sample.later("3").join());
        log(sample.elsewhere("4", executor).join());
        log(sample.withContext("5"));
        log(sample.look("6"));
        log(sample.perHost("example.org", "7"));
        log(configured().call(() -> sample.client.fetch("8")));
        try {
            log(sample.once("9"));
        } catch (IOException e) {
            log("not repeated: " + e.getMessage());
        }
        log(changed(configured(), RetryPolicy.ANY_EXCEPTION));
        log(http().toString());
        executor.shutdown();
    }
}
