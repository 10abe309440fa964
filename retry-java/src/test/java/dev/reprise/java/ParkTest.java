package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.rate.SendRate;
import dev.reprise.core.rate.SendRateSettings;
import dev.reprise.coroutines.Retrier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In a JVM of its own, whose common pool has the threads that it needs to help. */
@DisplayName("A blocking call in the common pool that waits for a send permit")
@Timeout(60)
class ParkTest {
    private static final int CALLS = 12;

    @Test
    @DisplayName("parks, and runs no other task meanwhile")
    void parks() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.util.concurrent.ForkJoinPool.common.parallelism=3",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ParkTest.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
    }

    /** Makes calls that wait, in tasks that a worker forked, and fails if one ran inside another. */
    public static void main(String[] args) {
        assertEquals(3, ForkJoinPool.getCommonPoolParallelism());
        JavaRetrier retrier = metered();
        List<Function<JavaRetrier, Object>> forms = List.of(
                it -> it.call(() -> "done"),
                it -> it.outcome(() -> "done"),
                it -> it.withOptions(CallOptions.named("read")).call(() -> "done"));
        for (Function<JavaRetrier, Object> form : forms) {
            ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
            AtomicInteger deepest = new AtomicInteger();
            Runnable call = () -> {
                depth.set(depth.get() + 1);
                deepest.accumulateAndGet(depth.get(), Math::max);
                form.apply(retrier);
                depth.set(depth.get() - 1);
            };
            CompletableFuture.supplyAsync(() -> Stream.generate(() -> CompletableFuture.runAsync(call))
                            .limit(CALLS)
                            .toList())
                    .join()
                    .forEach(CompletableFuture::join);
            assertEquals(1, deepest.get());
        }
    }

    /** A retrier whose attempts get a permit each 5 ms. */
    private static JavaRetrier metered() {
        SendRateSettings settings = SendRateSettings.builder().minFillRate(200).build();
        long now = System.nanoTime();
        SendRate rate = new SendRate(settings, now);
        rate.record(true, now, now);
        return JavaRetrier.sharing(
                Retrier.builder(RetryPolicy.builder().sendRate(settings).build())
                        .sendRate(rate)
                        .build());
    }
}
