package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.HttpOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.coroutines.Retrier;
import dev.reprise.presets.Presets;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kotlin.Unit;
import kotlinx.coroutines.Job;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts the classes that a program loads for its first call: a function pays for each of them at every cold start. */
class ColdStartTest {
    /** The classes of this library and of Kotlin. Each costs about 0.4 ms. */
    private static final int MOST = 180;

    /** A call that fails once and then succeeds. Without a lambda: what those cost the JVM is not the library's. */
    static final class Failing implements ThrowingSupplier<String, IOException> {
        private int attempts;

        public static void main(String[] arguments) throws IOException {
            RetryPolicy policy =
                    RetryPolicy.builder().fixedBackoff(Duration.ofMillis(1)).build();
            System.out.println(JavaRetrier.of(policy).call(new Failing()));
        }

        @Override
        public String get() throws IOException {
            if (attempts++ == 0) throw new IOException("once");
            return "done";
        }
    }

    /** The same by the name of a preset. */
    static final class ByName {
        public static void main(String[] arguments) throws IOException {
            RetryPolicy policy = Presets.named("standard-2.1").toBuilder()
                    .fixedBackoff(Duration.ofMillis(1))
                    .build();
            System.out.println(JavaRetrier.of(policy).call(new Failing()));
        }
    }

    /** A call that is answered with a 503 and then with a 200. */
    static final class Answered implements ThrowingSupplier<HttpOutcome, RuntimeException> {
        private int attempts;

        public static void main(String[] arguments) {
            RetryPolicy policy = RetryPolicy.HTTP.toBuilder()
                    .fixedBackoff(Duration.ofMillis(1))
                    .build();
            HttpOutcome last = JavaRetrier.of(policy).call(new Answered());
            System.out.println(last.getStatus() == 200 ? "done" : "failed");
        }

        @Override
        public HttpOutcome get() {
            int status = attempts++ == 0 ? 503 : 200;
            return new HttpOutcome() {
                @Override
                public int getStatus() {
                    return status;
                }

                @Override
                public String header(String name) {
                    return null;
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Failing.class, ByName.class, Answered.class})
    void aFirstCallLoadsFewClassesAndNoneOfThoseThatAreSlow(Class<?> program) throws Exception {
        List<String> output = run(program);
        assertTrue(output.contains("done"), output::toString);
        List<String> loaded =
                output.stream().filter(line -> line.contains(" source: ")).toList();
        String slow = loaded.stream()
                .map(ColdStartTest::nameOf)
                .filter(name -> name.matches("java\\.util\\.(regex|stream|Formatter|Locale\\$Builder).*"
                        + "|java\\.(text|time\\.format|util\\.logging)\\..*"
                        + "|kotlin\\.(ranges|text|sequences)\\..*|kotlin\\.collections\\.(Arrays|Collections|Maps|Sets)Kt.*"
                        + "|dev\\.reprise\\..*\\$\\$Lambda.*|java\\.lang\\.invoke\\.LambdaForm\\$MH/.*"))
                .collect(Collectors.joining("\n"));
        assertEquals("", slow);
        List<String> ours = loaded.stream()
                .map(ColdStartTest::nameOf)
                .filter(name -> name.startsWith("dev.reprise.") || name.startsWith("kotlin"))
                .toList();
        assertTrue(ours.size() <= MOST, () -> ours.size() + " classes:\n" + String.join("\n", ours));
    }

    private static String nameOf(String line) {
        return line.replaceAll("^.*\\] *| source: .*", "");
    }

    private static List<String> run(Class<?> program) throws Exception {
        String path = Stream.of(
                        program,
                        JavaRetrier.class,
                        Presets.class,
                        Retrier.class,
                        RetryPolicy.class,
                        Unit.class,
                        Job.class)
                .map(ColdStartTest::placeOf)
                .collect(Collectors.joining(System.getProperty("path.separator")));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(java, "-Xlog:class+load", "-cp", path, program.getName()).start();
        try (BufferedReader reader = process.inputReader()) {
            return reader.lines().toList();
        }
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
