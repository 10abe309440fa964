package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.backoff.Backoff;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * HotSpot puts no method into its caller whose signature has a class that the method's module has never named: the
 * first listener, deadline or custom backoff would then be paid for by all who have none. What it does is read from
 * what it says of itself, so that nothing here depends on time.
 */
@DisplayName("No method is kept out of its caller")
class InliningTest {
    private static final String REFUSED = "unloaded signature classes";

    @Test
    @DisplayName("by a class that calls do not need")
    void knowsItsClasses() throws Exception {
        List<String> lines = compiled();
        List<String> refused = lines.stream()
                .filter(it -> it.contains("dev.reprise.") && it.contains(REFUSED))
                .map(String::strip)
                .toList();
        assertTrue(lines.stream().anyMatch(it -> it.contains("BlockingLoop::execute")), "the loop was not compiled");
        assertEquals(List.of(), refused);
    }

    /** What the compiler says while {@link #main} runs in a JVM of its own. */
    private static List<String> compiled() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+PrintCompilation",
                        "-XX:+PrintInlining",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        InliningTest.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
        return lines;
    }

    /** Calls that succeed at once, or after a failure, until all of it is compiled. */
    public static void main(String[] args) {
        IllegalStateException failure = new IllegalStateException("no");
        JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
                .backoff(Backoff.IMMEDIATE)
                .retryOn(IllegalStateException.class)
                .build());
        int[] left = {0};
        for (int i = 0; i < 200_000; i++) {
            left[0] = i % 2;
            retrier.call(() -> {
                if (left[0]-- > 0) throw failure;
                return "done";
            });
        }
    }
}
