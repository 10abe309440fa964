package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A switch over a sealed type, on JDK 21 and newer,")
class SwitchTest {
    @TempDir
    Path out;

    /** What the compiler has to say of a method with this {@code body}. */
    private List<String> complaints(String body) throws IOException {
        assumeTrue(Runtime.version().feature() >= 21);
        String source = """
                import dev.reprise.core.*;
                import dev.reprise.core.shell.machine.*;

                class Caller {
                    %s
                }
                """.formatted(body);
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Caller.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreErrors) {
                        return source;
                    }
                };
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ROOT, null)) {
            List<String> options = List.of("-proc:none", "-d", out.toString());
            compiler.getTask(null, files, found, options, null, List.of(file)).call();
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ROOT))
                .collect(Collectors.toList());
    }

    @Test
    @DisplayName("needs no default for outcomes")
    void outcomes() throws IOException {
        assertEquals(List.of(), complaints("""
                        static String tell(RetryOutcome<String> outcome) {
                            return switch (outcome) {
                                case RetryOutcome.Success<String> good -> good.getValue();
                                case RetryOutcome.BadResult<String> bad -> "bad " + bad.getValue();
                                case RetryOutcome.Failure failed -> failed.getFailure().getMessage();
                            };
                        }
                        """));
    }

    @Test
    @DisplayName("needs no default for decisions and verdicts")
    void decisions() throws IOException {
        assertEquals(List.of(), complaints("""
                        static String tell(Decision decision) {
                            return switch (decision) {
                                case Decision.Accept accepted -> "accepted";
                                case RetryState retry -> "retry after " + retry.getDelayNanos();
                                case Decision.GiveUp end -> "stop: " + end.getReason();
                            };
                        }

                        static String tell(Verdict verdict) {
                            return switch (verdict) {
                                case Verdict.Accept accepted -> "good";
                                case Verdict.Reject rejected -> "final";
                                case Verdict.Retry retry -> retry.getWhy();
                            };
                        }
                        """));
    }

    @Test
    @DisplayName("needs no default for events")
    void events() throws IOException {
        assertEquals(List.of(), complaints("""
                        static String tell(RetryEvent event) {
                            return switch (event) {
                                case RetryEvent.CallStarted started -> "started";
                                case RetryEvent.PermitWaited waited -> "waited " + waited.getWait().toNanos();
                                case RetryEvent.AttemptStarted attempt -> "attempt " + attempt.getAttempt();
                                case RetryEvent.HedgeStarted copy -> "copy after " + copy.getDelay();
                                case RetryEvent.HedgeRefused copy -> "no copy: " + copy.getReason();
                                case RetryEvent.HedgeWon copy -> "copy won";
                                case RetryEvent.AttemptFailed failed -> "failed " + failed.getFailure();
                                case RetryEvent.UnitJudged judged -> "unit in " + judged.getAttempt();
                                case RetryEvent.ServerDelayIgnored ignored -> "ignored " + ignored.getHeader();
                                case RetryEvent.QuotaTaken taken -> "took " + taken.getTokens();
                                case RetryEvent.QuotaRefused refused -> "refused " + refused.getTokens();
                                case RetryEvent.QuotaRefunded refunded -> "refunded " + refunded.getTokens();
                                case RetryEvent.RetryScheduled retry -> "in " + retry.getDelay().toNanos();
                                case RetryEvent.CallSucceeded good -> "good";
                                case RetryEvent.CallGaveUp end -> "stop: " + end.getReason();
                                case RetryEvent.CallCancelled cancelled -> "cancelled";
                            };
                        }
                        """));
    }

    @Test
    @DisplayName("that forgets a case does not compile")
    void forgotten() throws IOException {
        assertEquals(List.of("the switch expression does not cover all possible input values"), complaints("""
                        static String tell(RetryOutcome<String> outcome) {
                            return switch (outcome) {
                                case RetryOutcome.Success<String> good -> good.getValue();
                                case RetryOutcome.Failure failed -> failed.getFailure().getMessage();
                            };
                        }
                        """));
    }
}
