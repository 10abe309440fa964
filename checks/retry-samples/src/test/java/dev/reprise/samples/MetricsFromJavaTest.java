package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.reprise.core.LoggingListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.micrometer.RetryMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** The first Java snippet of the observability guide, run. */
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
}
