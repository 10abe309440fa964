import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.micrometer.RetryMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of a retrier. */
final class Micrometer {
    public static void main(String[] arguments) throws Exception {
        var registry = new SimpleMeterRegistry();
        var retrier = JavaRetrier.builder().policy(RetryPolicy.STANDARD).listener(RetryMetrics.of(registry, "users")).build();
        var attempts = new AtomicInteger();
        String end = retrier.call(() -> {
            if (attempts.incrementAndGet() == 1) throw new IOException("once");
            return "done";
        });
        Flaky.check(end.equals("done") && !registry.getMeters().isEmpty(), registry.getMetersAsString());
    }
}
