package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Polling;
import dev.reprise.java.JavaRetrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The Java snippets of the guide to polling and deadlines, run. */
class PollingFromJavaTest {
    private static final Polling EVERY_SECOND = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(2));

    private record Job(boolean isDone) {}

    private record Budget(Duration left) {}

    private static final class Client {
        private final AtomicInteger looks = new AtomicInteger();

        Job job(String id) {
            return new Job(looks.incrementAndGet() >= 1);
        }

        CompletableFuture<Job> jobAsync(String id) {
            return CompletableFuture.completedFuture(job(id));
        }
    }

    @Test
    void pollsInWorkThatHasABudget() {
        Client client = new Client();
        Budget budget = new Budget(Duration.ofSeconds(5));
        JavaRetrier retrier =
                JavaRetrier.builder().deadlines(() -> budget.left()).build();
        String id = "7";
        Job job = retrier.pollUntil(EVERY_SECOND, Job::isDone, () -> client.job(id));
        CompletableFuture<Job> later = retrier.pollUntilAsync(EVERY_SECOND, Job::isDone, () -> client.jobAsync(id));
        assertTrue(job.isDone() && later.join().isDone());
        assertEquals(2, client.looks.get());
    }
}
