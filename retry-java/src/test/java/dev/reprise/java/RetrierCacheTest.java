package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetrierCache;
import dev.reprise.coroutines.Retrier;
import dev.reprise.presets.Presets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A retrier for each key, from Java,")
class RetrierCacheTest {
    private final RetrierCache<String, JavaRetrier> retriers =
            new RetrierCache<>(2, host -> JavaRetrier.of(Presets.named("adaptive-steady")));

    @Test
    @DisplayName("has a rate of its own")
    void ownRate() {
        long now = System.nanoTime();
        retriers.get("busy").retrier().getSendRate().record(true, now, now);

        assertTrue(retriers.get("busy").retrier().getSendRate().isOn());
        assertFalse(retriers.get("idle").retrier().getSendRate().isOn());
        assertEquals("done", retriers.get("idle").call(() -> "done"));
    }

    @Test
    @DisplayName("may be shared with Kotlin")
    void shared() {
        RetrierCache<String, Retrier> kotlin =
                new RetrierCache<>(2, host -> JavaRetrier.builder().build().retrier());

        assertSame(kotlin.get("a"), JavaRetrier.sharing(kotlin.get("a")).retrier());
    }
}
