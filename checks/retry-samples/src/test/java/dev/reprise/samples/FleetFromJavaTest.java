package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.redis.FleetSettings;
import dev.reprise.redis.RedisQuota;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The Java snippet of the guide to fleets. */
class FleetFromJavaTest {
    @Test
    void aSharedQuota() throws Exception {
        RedisClient client = RedisClient.create("redis://127.0.0.1:1");
        RetryPolicy policy = RetryPolicy.STANDARD;

        FleetSettings settings = FleetSettings.builder().capacity(50_000).build();
        RedisQuota quota = RedisQuota.of(client, "orders", settings);
        JavaRetrier retrier = JavaRetrier.builder().policy(policy).quota(quota).build();

        assertEquals("done", retrier.call(() -> "done"));
        quota.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
