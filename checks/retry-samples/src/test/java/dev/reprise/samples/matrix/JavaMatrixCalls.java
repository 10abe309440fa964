package dev.reprise.samples.matrix;

import dev.reprise.core.Attempt;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Polling;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.shell.Waiter;
import dev.reprise.java.AsyncAttempt;
import dev.reprise.java.BlockingAttempt;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.JavaWaiter;
import dev.reprise.java.RunnableAttempt;
import dev.reprise.java.StageSupplier;
import dev.reprise.java.ThrowingRunnable;
import dev.reprise.java.ThrowingSupplier;
import dev.reprise.jdkhttp.ReplayableBody;
import dev.reprise.jdkhttp.ResponseOutcome;
import dev.reprise.jdkhttp.RetryBodyHandlers;
import dev.reprise.jdkhttp.RetryingHttpClient;
import dev.reprise.jdkhttp.RetryingHttpClientBuilder;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Every form of a call on threads, with futures and over java.net.http. As {@link JavaMatrix}. */
final class JavaMatrixCalls {
    private static final CallOptions GET = CallOptions.named("users.get");
    private static final Polling POLLING = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(1));

    private JavaMatrixCalls() {}

    private static String user() throws IOException {
        throw new IOException("not here");
    }

    private static String user(Attempt attempt) throws IOException {
        throw new IOException("not in attempt " + attempt.getNumber());
    }

    private static CompletionStage<String> later() {
        return CompletableFuture.completedFuture("user");
    }

    static void blocking(JavaRetrier retrier) throws IOException, InterruptedException {
        retrier.call(() -> user());
        retrier.callWithAttempt(attempt -> user(attempt));
        retrier.callInterruptibly(() -> user());
        retrier.callInterruptiblyWithAttempt(attempt -> user(attempt));
        retrier.run(() -> user());
        retrier.runWithAttempt(attempt -> user(attempt));
        retrier.withOptions(GET).call(() -> user());
        RetryOutcome<String> outcome = retrier.outcome(() -> user());
        outcome = retrier.outcomeWithAttempt(attempt -> user(attempt));
        outcome = retrier.pollOutcome(POLLING, "done"::equals, () -> user());
        outcome.getOrThrow();
        retrier.pollUntil(POLLING, "done"::equals, () -> user());
    }

    static List<CompletableFuture<?>> futures(JavaRetrier retrier, Executor executor) {
        return List.of(
                retrier.callAsync(() -> later()),
                retrier.callAsyncWithAttempt(attempt -> later()),
                retrier.callAsync(() -> user(), executor),
                retrier.callAsyncWithAttempt(attempt -> user(attempt), executor),
                retrier.outcomeAsync(() -> later()),
                retrier.outcomeAsync(() -> user(), executor),
                retrier.outcomeAsyncWithAttempt(attempt -> later()),
                retrier.outcomeAsyncWithAttempt(attempt -> user(attempt), executor),
                retrier.pollUntilAsync(POLLING, "done"::equals, () -> later()),
                retrier.pollUntilAsync(POLLING, "done"::equals, () -> user(), executor),
                retrier.pollOutcomeAsync(POLLING, "done"::equals, () -> later()),
                retrier.pollOutcomeAsync(POLLING, "done"::equals, () -> user(), executor),
                retrier.withOptions(GET).callAsync(() -> later()));
    }

    /** Forms with a name, for work that is handed around. */
    static void named() throws Exception {
        ThrowingSupplier<String, IOException> supplier = JavaMatrixCalls::user;
        ThrowingRunnable<IOException> runnable = JavaMatrixCalls::user;
        RunnableAttempt<IOException> ofAttempt = JavaMatrixCalls::user;
        StageSupplier<String> stage = JavaMatrixCalls::later;
        AsyncAttempt<String> asynchronous = stage;
        BlockingAttempt<String, IOException> blocking = supplier;
        supplier.get();
        runnable.run();
        ofAttempt.run(null);
        stage.get();
        asynchronous.start(null);
        blocking.make(null);
    }

    /** Work whose results must be closed, and that says when it is the last attempt. */
    static final class Opening implements BlockingAttempt<Stream<String>, IOException> {
        @Override
        public Stream<String> make(Attempt attempt) throws IOException {
            return Files.lines(Path.of("a"));
        }

        @Override
        public void discard(Stream<String> result) {
            result.close();
        }

        @Override
        public boolean releasesBeforeWait() {
            return true;
        }

        @Override
        public boolean mayRepeat() {
            return false;
        }
    }

    static List<Object> retriers(RetryListener listener, Executor executor) {
        JavaRetrier retrier = JavaRetrier.builder()
                .policy(RetryPolicy.STANDARD)
                .name("users")
                .quota(new RetryQuota())
                .sendRate(new SendRate(SendRateSettings.STEADY, 0))
                .listener(event -> log(event))
                .listeners(List.of(listener))
                .deadlines(() -> Duration.ofSeconds(1))
                .clock(System::nanoTime)
                .draws(() -> 0.5)
                .waiter(JavaWaiter.SYSTEM)
                .executor(executor)
                .build();
        Retrier kotlin = Retrier.builder()
                .policy(RetryPolicy.STANDARD)
                .quota(null)
                .sendRate(null)
                .deadlines(null)
                .clock(Retrier.SYSTEM_CLOCK)
                .draws(Retrier.SYSTEM_DRAWS)
                .waiter(Waiter.DELAY)
                .build();
        retrier.update(RetryPolicy.NONE);
        kotlin.update(RetryPolicy.NONE);
        return List.of(
                retrier.retrier(),
                retrier.waiter(),
                retrier.policy(),
                retrier.options(),
                retrier.with(RetryPolicy.NONE),
                retrier.with(listener),
                retrier.with(() -> null),
                JavaRetrier.of(RetryPolicy.NONE),
                JavaRetrier.sharing(kotlin, JavaWaiter.SYSTEM, executor),
                new Retrier(RetryPolicy.NONE),
                kotlin.getQuota(),
                kotlin.getSendRate(),
                kotlin.getPolicy());
    }

    private static void log(RetryEvent event) {
        event.getCallId();
    }

    /** Time of a simulation. */
    static final class NoTime implements JavaWaiter {
        @Override
        public void await(Duration duration) {}

        @Override
        public Runnable after(Duration duration, Runnable task) {
            task.run();
            return () -> {};
        }
    }

    static void http(HttpClient client, HttpRequest request, JavaRetrier retrier) throws Exception {
        RetryingHttpClient.around(client).retriers(sent -> retrier).build().close();
        RetryingHttpClientBuilder builder = RetryingHttpClient.around(client)
                .policy(RetryPolicy.HTTP)
                .listener(JavaMatrixCalls::log)
                .options(sent -> GET)
                .idempotencyKeys(Set.of("Idempotency-Key"))
                .amzHeaders(true)
                .drainBytes(1_000)
                .errorBodyBytes(1_000);
        try (RetryingHttpClient retrying = builder.build()) {
            retrying.send(request, RetryBodyHandlers.ofFile(Path.of("a")));
            retrying.send(request, RetryBodyHandlers.mapping(BodyHandlers.ofString(), String::length));
            retrying.sendAsync(request, RetryBodyHandlers.repeatable(BodyHandlers.ofString()));
        }
        RetryingHttpClient.of(client).send(request, BodyHandlers.discarding());
        HttpRequest.newBuilder().POST(ReplayableBody.of(HttpRequest.BodyPublishers.ofString("a")));
    }

    static Object response(ResponseOutcome outcome) {
        return outcome.headers().map();
    }
}
