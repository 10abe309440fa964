package dev.reprise.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.java.JavaRetrier;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** All of it is there for Java, in one line. */
class JavaCallerTest {
    @Test
    void aBlockingCallPaysItsRetryFromTheFleetsQuota() throws Exception {
        try (RedisProcess server = new RedisProcess(
                new String[0], RedisProcess.Companion.freePort(), RedisProcess.Companion.newFolder())) {
            RedisClient client = RedisClient.create(server.getUrl());
            try (RedisQuota quota = RedisQuota.of(client, "orders")) {
                JavaRetrier retrier = JavaRetrier.builder().quota(quota).build();
                AtomicInteger attempts = new AtomicInteger();
                String result = retrier.call(() -> {
                    if (attempts.incrementAndGet() == 1) throw new IOException("once");
                    return "done";
                });
                assertEquals("done", result);
                assertEquals(2, attempts.get());
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void aServerThatIsNotThereFailsNoCall() throws Exception {
        RedisClient client = RedisClient.create("redis://127.0.0.1:1");
        RetryPolicy policy =
                RetryPolicy.builder().sendRate(SendRateSettings.STEADY).build();
        try (RedisQuota quota = RedisQuota.of(client, "orders");
                RedisSendRate rate = RedisSendRate.of(client, "orders")) {
            JavaRetrier retrier = JavaRetrier.builder()
                    .policy(policy)
                    .quota(quota)
                    .sendRate(rate)
                    .build();
            AtomicInteger attempts = new AtomicInteger();
            long began = System.nanoTime();
            assertEquals("done", retrier.call(() -> {
                if (attempts.incrementAndGet() == 1) throw new IOException("once");
                return "done";
            }));
            assertTrue(System.nanoTime() - began < 20_000_000_000L);
            assertEquals(2, attempts.get());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void settingsAreBuiltWithDurationsOfJava() {
        FleetSettings settings = FleetSettings.builder()
                .prefix("shop")
                .capacity(50_000)
                .localTokens(14)
                .patience(Duration.ofMillis(50))
                .horizon(Duration.ofSeconds(1))
                .lifetime(Duration.ofMinutes(1))
                .build();
        assertEquals(
                "FleetSettings(prefix=shop, capacity=50000, localTokens=14, horizon=1s, patience=50ms, lifetime=1m)",
                settings.toString());
        var tooLong = FleetSettings.builder().patience(Duration.ofSeconds(Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, tooLong::build);
    }

    @Test
    void aNameThatWouldBreakTheKeyIsRejected() {
        RedisClient client = RedisClient.create("redis://127.0.0.1:1");
        try {
            assertThrows(IllegalArgumentException.class, () -> RedisQuota.of(client, "or}ders"));
            assertThrows(IllegalArgumentException.class, () -> RedisSendRate.of(client, " "));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
