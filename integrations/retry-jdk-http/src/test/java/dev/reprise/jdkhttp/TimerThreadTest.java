package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.Fault;
import dev.reprise.faults.FaultServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The system's waiter has one thread for all timers of the process, which is named {@code reprise-timer}. */
@DisplayName("Users' code never runs on the thread of the timers")
@Timeout(60)
class TimerThreadTest {
    private static final RetryPolicy SHORT = RetryPolicy.HTTP.toBuilder()
            .backoff(Backoff.fixed(Duration.ofSeconds(30)))
            .deadline(Duration.ofMillis(300))
            .build();

    @Test
    @DisplayName("nor does what depends on a response whose body is cut off by the deadline")
    void lastBody() {
        try (FaultServer server = new FaultServer(Fault.STALLED_FAILURE)) {
            HttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                    .policy(SHORT)
                    .build();
            Object[] seen = client.sendAsync(
                            HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString())
                    .handle((response, failure) -> new Object[] {failure, Thread.currentThread()})
                    .join();
            assertInstanceOf(HttpTimeoutException.class, seen[0]);
            assertFalse(isTimer((Thread) seen[1]));
        }
    }

    @Test
    @DisplayName("nor does a listener that is told of a failure whose body was not read in time")
    void peek() {
        CompletableFuture<Thread> told = new CompletableFuture<>();
        try (FaultServer server = new FaultServer(Fault.STALLED_FAILURE)) {
            HttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                    .errorBodyBytes(1000)
                    .listener(event -> {
                        if (event instanceof RetryEvent.AttemptFailed) told.complete(Thread.currentThread());
                    })
                    .build();
            CompletableFuture<?> response =
                    client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            assertFalse(isTimer(told.join()));
            response.cancel(true);
        }
    }

    @Test
    @DisplayName("nor does the client below when it lets go of a body that is not read in time")
    void drain() {
        CompletableFuture<Thread> cancelled = new CompletableFuture<>();
        new Drain(100).onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long count) {}

            @Override
            public void cancel() {
                cancelled.complete(Thread.currentThread());
            }
        });
        assertFalse(isTimer(cancelled.join()));
    }

    private static boolean isTimer(Thread thread) {
        return thread.getName().equals("reprise-timer");
    }
}
