import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Blocking calls and futures, in plain Java. */
final class Main {
    private Main() {}

    private static void check(boolean holds, Object what) {
        if (!holds) throw new AssertionError(what);
    }

    private static String blocking(JavaRetrier retrier) throws IOException {
        AtomicInteger calls = new AtomicInteger();
        return retrier.call(() -> {
            if (calls.incrementAndGet() < 3) throw new IOException("down");
            return "call " + calls;
        });
    }

    private static CompletableFuture<String> async(JavaRetrier retrier) {
        AtomicInteger calls = new AtomicInteger();
        return retrier.callAsync(() -> calls.incrementAndGet() < 3
                ? CompletableFuture.<String>failedFuture(new IOException("down"))
                : CompletableFuture.completedFuture("call " + calls));
    }

    private static IOException failure(JavaRetrier retrier) {
        try {
            retrier.run(() -> {
                throw new IOException("still down");
            });
            throw new AssertionError("no exception");
        } catch (IOException e) {
            return e;
        }
    }

    public static void main(String[] args) throws IOException {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(5)))
                .build();
        JavaRetrier retrier = JavaRetrier.of(policy);
        check(blocking(retrier).equals("call 3"), "blocking");
        check(async(retrier).join().equals("call 3"), "async");
        IOException failure = failure(retrier);
        check("still down".equals(failure.getMessage()), failure);
        check(failure.getSuppressed().length == 1 && RetryTrace.of(failure) != null, "trace");
        System.out.println("java-17: passed on Java " + Runtime.version());
    }
}
