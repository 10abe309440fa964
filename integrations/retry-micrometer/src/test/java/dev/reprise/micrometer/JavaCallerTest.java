package dev.reprise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.call.CallSetup;
import dev.reprise.core.shell.call.ResultKind;
import dev.reprise.core.shell.quota.RetryQuota;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavaCallerTest {
    @Test
    void javaMeasuresACall() {
        var registry = new SimpleMeterRegistry();
        var metrics = RetryMetrics.builder("users")
                .tags(Tags.of("region", "north"))
                .maxOperations(5)
                .bindTo(registry);
        var quota = new RetryQuota(500);
        metrics.watch(quota);
        metrics.watch(null, null, Tags.empty()).close();
        var setup = new CallSetup(RetryPolicy.STANDARD, quota, null, List.of(metrics), () -> 0, () -> 1.0, null);

        var call = setup.begin(CallOptions.named("get"), ResultKind.VALUE);
        call.attemptStarts();
        call.completed("up", null, null);

        var attempts = registry.get("reprise.call.attempts")
                .tags("client", "users", "operation", "get")
                .summary();
        assertEquals(1, attempts.count());
        assertEquals(
                500,
                registry.get("reprise.quota.available")
                        .tag("region", "north")
                        .gauge()
                        .value());
    }
}
