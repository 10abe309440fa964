package dev.reprise.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.shell.rate.RateHint;
import dev.reprise.core.shell.rate.RateLimitFields;
import dev.reprise.core.shell.rate.SendRate;
import java.util.HashMap;
import java.util.Map;

/**
 * Whatever a server says of its limit is a hint that a send rate can follow, or nothing. In Java, which sees what the
 * core keeps to itself.
 */
class RateLimitFuzzTest {
    private static final String[] FIELDS = {
        "ratelimit",
        "ratelimit-policy",
        "ratelimit-remaining",
        "ratelimit-reset",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    };

    private static final int LONGEST = 1_100;

    @FuzzTest(maxDuration = "1m")
    void fields(FuzzedDataProvider data) {
        boolean isLimited = data.consumeBoolean();
        Map<String, String> headers = new HashMap<>();
        for (String field : FIELDS) {
            if (data.consumeBoolean()) headers.put(field, data.consumeString(LONGEST));
        }
        headers.put("date", data.consumeRemainingAsString());
        RateHint hint = RateLimitFields.INSTANCE.read(new Response(200, null, null, null, 0, headers));
        if (hint == null) return;
        SendRate rate = new SendRate(SendRateSettings.STEADY, 0);
        if (isLimited) rate.record(true, 0, 0);
        rate.hint(hint, 0);
        Double permitted = rate.getSendRate();
        assertEquals(rate.isOn(), permitted != null);
        if (permitted == null) return;
        assertTrue(permitted >= 0 && permitted < Double.POSITIVE_INFINITY, () -> hint + ": " + permitted);
        assertTrue(rate.waitNanos(0, 0) >= 0, () -> hint + " waits " + rate.waitNanos(0, 0));
    }
}
