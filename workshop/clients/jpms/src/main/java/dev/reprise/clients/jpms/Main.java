package dev.reprise.clients.jpms;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.presets.Presets;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Retries a call from inside an image that jlink made. */
final class Main {
    private Main() {}

    private static void check(boolean holds, Object what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) throws IOException {
        check(Main.class.getModule().isNamed(), "this is a module");
        check(JavaRetrier.class.getModule().getName().equals("dev.reprise.java"), "so is the library");

        RetryPolicy policy = RetryPolicy.builder()
                .backoff(Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(5)))
                .build();
        AtomicInteger calls = new AtomicInteger();
        String result = JavaRetrier.of(policy).call(() -> {
            if (calls.incrementAndGet() < 3) throw new IOException("down");
            return "call " + calls;
        });
        check(result.equals("call 3"), result);
        // Reads a resource of the core's module.
        check(Presets.named("botocore-legacy").getMaxAttempts() == 5, "botocore-legacy");
        // Its classifier knows what databases throw; an image without java.sql has none of that.
        check(ModuleLayer.boot().findModule("java.sql").isEmpty(), "an image without java.sql");
        AtomicInteger others = new AtomicInteger();
        int attempts = JavaRetrier.of(Presets.named("any-exception")).call(() -> {
            if (others.incrementAndGet() < 3) throw new IllegalStateException("closed");
            return others.get();
        });
        check(attempts == 3, attempts);
        System.out.println("jpms: passed in an image of Java " + Runtime.version());
    }
}
