package dev.reprise.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.reprise.core.HttpDate;
import dev.reprise.core.Verdict;
import dev.reprise.presets.clock.ClockSkew;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/**
 * Any text is a date, which is written and read back equal, or none; and where the code of a failure may speak of a
 * wrong clock, only a date far from ours makes it do so. In Java, which sees what the core keeps to itself.
 */
class HttpDateFuzzTest {
    private static final DateTimeFormatter WRITTEN = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private static final long THRESHOLD = ClockSkew.STANDARD.getThreshold().toMillis();

    @FuzzTest(maxDuration = "1m")
    void date(FuzzedDataProvider data) {
        long apart = data.consumeLong(-10 * THRESHOLD, 10 * THRESHOLD);
        String code = data.pickValue(ClockSkew.POSSIBLE_CODES.toArray(String[]::new));
        String text = TextsKt.text(data);
        Instant date = HttpDate.INSTANCE.parse(text.replaceAll("^[ \\t]+|[ \\t]+$", ""));
        long received = date == null ? apart : date.toEpochMilli() + apart;
        Verdict verdict =
                ClockSkew.STANDARD.classifyResult(new Response(400, code, null, null, received, Map.of("date", text)));
        boolean isRetried = verdict instanceof Verdict.Retry;
        assertEquals(date != null && Math.abs(apart) >= THRESHOLD, isRetried, () -> date + " and " + apart + " ms");
        assertTrue(isRetried || verdict == null, () -> "says more: " + verdict);
        if (date != null) assertEquals(date, HttpDate.INSTANCE.parse(WRITTEN.format(date)), text);
    }
}
