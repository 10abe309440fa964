package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryPolicyBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As after a pause of the thread that calls: it is the loop's turn still when the executor wants to go on. */
@DisplayName("A wait that is over before its beginner has gone on")
@Timeout(60)
class WaitOverAtOnceTest {
    private final ExecutorService mine = Executors.newFixedThreadPool(2, work -> new Thread(work, "mine"));
    private final ExecutorService timer = Executors.newSingleThreadExecutor(work -> new Thread(work, "timer"));
    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());

    /** Every wait ends within {@code after}, and whatever the executor had to do for it is done. */
    private final JavaWaiter atOnce = new JavaWaiter() {
        @Override
        public void await(Duration duration) {}

        @Override
        public Runnable after(Duration duration, Runnable task) {
            try {
                timer.submit(task).get();
                asked.get().get();
            } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError(e);
            }
            return () -> {};
        }
    };

    /** The end of the last task that the executor was given. */
    private final AtomicReference<CompletableFuture<Void>> asked =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    private final Executor executor = task -> {
        // Noted before the task begins: it may come to a wait of its own, and must not wait for itself there.
        CompletableFuture<Void> end = new CompletableFuture<>();
        asked.set(end);
        mine.execute(() -> {
            try {
                task.run();
            } finally {
                end.complete(null);
            }
        });
    };

    @AfterEach
    void stop() {
        mine.shutdownNow();
        timer.shutdownNow();
    }

    private JavaRetrier retrier(RetryPolicyBuilder policy, Executor executor) {
        return JavaRetrier.builder()
                .policy(policy.build())
                .waiter(atOnce)
                .executor(executor)
                .build();
    }

    private CompletableFuture<String> failing(int number) {
        threads.add(Thread.currentThread());
        return number < 20
                ? CompletableFuture.failedFuture(new IOException("reset"))
                : CompletableFuture.completedFuture("done");
    }

    @Test
    @DisplayName("is followed by an attempt on the executor all the same")
    void goesOnOnExecutor() throws Exception {
        JavaRetrier retrier = retrier(RetryPolicy.builder().maxAttempts(20).noQuota(), executor);

        assertEquals(
                "done",
                retrier.callAsyncWithAttempt(attempt -> failing(attempt.getNumber()))
                        .get());

        assertSame(Thread.currentThread(), threads.get(0));
        assertEquals(20, threads.size());
        for (Thread thread : threads.subList(1, 20)) assertEquals("mine", thread.getName());
    }

    @Test
    @DisplayName(
            "is followed by an attempt on a thread for attempts, if the executor runs tasks on the submitting thread")
    void leavesCaller() throws Exception {
        JavaRetrier retrier = retrier(RetryPolicy.builder().maxAttempts(20).noQuota(), Runnable::run);

        assertEquals(
                "done",
                retrier.callAsyncWithAttempt(attempt -> failing(attempt.getNumber()))
                        .get());

        assertEquals(20, threads.size());
        for (Thread thread : threads.subList(1, 20)) assertNotSame(Thread.currentThread(), thread);
    }

    @Test
    @DisplayName("is followed by a copy on the executor all the same")
    void copyGoesToExecutor() throws Exception {
        JavaRetrier retrier = retrier(RetryPolicy.builder().hedge(Hedge.after(Duration.ofMillis(50), 1.0)), executor);

        assertEquals(
                "copy",
                retrier.callAsync(() -> {
                            threads.add(Thread.currentThread());
                            return threads.size() == 1
                                    ? new CompletableFuture<>()
                                    : CompletableFuture.completedFuture("copy");
                        })
                        .get());

        assertSame(Thread.currentThread(), threads.get(0));
        assertEquals(
                List.of("mine"),
                threads.subList(1, threads.size()).stream().map(Thread::getName).toList());
    }
}
