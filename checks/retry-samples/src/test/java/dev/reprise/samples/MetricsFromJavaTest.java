package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.reprise.core.LoggingListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.micrometer.RetryMetrics;
import dev.reprise.opentelemetry.RetryMeters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import org.junit.jupiter.api.Test;

/** The Java snippets about metrics of the observability guide, run. */
class MetricsFromJavaTest {
    @Test
    void aRetrierIsMeasuredAndLogged() {
        MeterRegistry registry = new SimpleMeterRegistry();
        RetryPolicy policy = RetryPolicy.STANDARD;

        RetryMetrics metrics = RetryMetrics.of(registry, "users-api");
        JavaRetrier retrier = JavaRetrier.builder()
                .policy(policy)
                .name("users-api")
                .listener(metrics)
                .listener(new LoggingListener())
                .build();
        metrics.watch(retrier.retrier().getQuota());

        assertEquals("done", retrier.call(() -> "done"));
        assertFalse(registry.getMeters().isEmpty());
    }

    @Test
    void operationsAndHistogramsHaveMetersIfAskedFor() {
        MeterRegistry registry = new SimpleMeterRegistry();

        RetryMetrics metrics =
                RetryMetrics.builder("users-api").maxOperations(20).histograms().bindTo(registry);

        JavaRetrier.builder().listener(metrics).build().call(() -> "done");
        assertEquals(
                1.0,
                registry.get("reprise.calls")
                        .tag("retried", "false")
                        .tag("outcome", "success")
                        .tag("operation", "unnamed")
                        .counter()
                        .count());
    }

    @Test
    void aRetrierIsMeasuredThroughOpenTelemetry() {
        OpenTelemetry openTelemetry = OpenTelemetry.noop();
        RetryPolicy policy = RetryPolicy.STANDARD;

        RetryMeters meters = new RetryMeters(openTelemetry, "users-api");
        JavaRetrier retrier =
                JavaRetrier.builder().policy(policy).listener(meters).build();
        meters.watch(retrier.retrier().getQuota());

        assertEquals("done", retrier.call(() -> "done"));
    }
}
