package dev.reprise.spring.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryTrace;
import dev.reprise.core.StopReason;
import dev.reprise.spring.RepriseRetryOperations;
import dev.reprise.spring.RetryConfigurer;
import dev.reprise.spring.RetryRegistry;
import dev.reprise.test.Recorder;
import dev.reprise.test.VirtualTime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryOperations;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryPredicate;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** The cases of Spring Framework's page on resilience, whose callers and annotations stay as they are. */
@DisplayName("Spring Framework's @Retryable, taken over")
class RetryableTest {
    private static final class UndeliveredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private UndeliveredException(Throwable cause) {
            super("undelivered", cause);
        }
    }

    static class NotForStrangers implements MethodRetryPredicate {
        @Override
        public boolean shouldRetry(Method method, Throwable failure) {
            return method.getName().equals("greet") && !(failure instanceof IllegalArgumentException);
        }
    }

    static class Post {
        int calls;
        Exception failure = new UndeliveredException(null);

        @Retryable
        public void send() throws Exception {
            fails();
        }

        @Retryable(UndeliveredException.class)
        public void sendTyped() throws Exception {
            fails();
        }

        @Retryable(
                includes = UndeliveredException.class,
                excludes = FileNotFoundException.class,
                maxRetries = 4,
                delay = 100,
                multiplier = 2,
                maxDelay = 500)
        public void sendWithBackoff() throws Exception {
            fails();
        }

        @Retryable(maxRetries = 9, delay = 100, jitter = 10, multiplier = 2, maxDelay = 1000)
        public void sendWithJitter() throws Exception {
            fails();
        }

        @Retryable(multiplier = 2, maxDelay = 500)
        public void sendCapped() throws Exception {
            fails();
        }

        @Retryable(maxRetriesString = "${post.retries}", delayString = "${post.delay}", maxDelayString = "")
        public void sendAsConfigured() throws Exception {
            fails();
        }

        @Retryable(timeout = 2500, maxRetries = 100)
        public void sendInTime() throws Exception {
            fails();
        }

        @Retryable(predicate = NotForStrangers.class, delay = 0)
        public void greet() throws Exception {
            fails();
        }

        @Retryable(maxRetries = 4, delay = 100)
        public Mono<Void> sendReactively() {
            return Mono.fromRunnable(() -> calls++).then(Mono.error(failure));
        }

        @Retryable(maxRetries = 4, delay = 100)
        public CompletableFuture<Void> sendLater() {
            calls++;
            return CompletableFuture.failedFuture(failure);
        }

        @ConcurrencyLimit(1)
        @Retryable(maxRetries = 1, delay = 0)
        public void sendAlone() throws Exception {
            fails();
        }

        private void fails() throws Exception {
            calls++;
            throw failure;
        }
    }

    @Retryable(maxRetries = 2, delay = 0)
    static class Whole {
        int calls;

        public void first() {
            calls++;
            throw new IllegalStateException();
        }

        @Retryable(maxRetries = 1, delay = 0)
        public void second() {
            first();
        }
    }

    @EnableResilientMethods
    static class Application {}

    private final VirtualTime time = new VirtualTime();
    private final Recorder recorder = new Recorder();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private Post post;
    private Post target;

    @BeforeEach
    void start() {
        VirtualTimeScheduler.getOrSet();
        RetryConfigurer inTime = (name, builder) ->
                builder.clock(time).waiter(time).executor(time.executor).listener(recorder);
        Map<String, Object> properties = Map.of("post.retries", "1", "post.delay", "3s");
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(RetryRegistry.class, () -> new RetryRegistry(Map.of(), List.of(inTime)));
        context.register(
                Application.class, RetryableTakeOver.class, RepriseConfiguration.class, Post.class, Whole.class);
        context.refresh();
        post = context.getBean(Post.class);
        target = TargetsKt.targetOf(post);
    }

    @AfterEach
    void stop() {
        context.close();
        VirtualTimeScheduler.reset();
    }

    private List<Duration> delays() {
        return recorder.getCall().getDelays();
    }

    private static List<Duration> millis(int... millis) {
        return IntStream.of(millis).mapToObj(Duration::ofMillis).toList();
    }

    @Test
    @DisplayName("without attributes: three retries of any exception, after a second each; the last is thrown as it is")
    void plain() {
        UndeliveredException thrown = assertThrows(UndeliveredException.class, post::send);

        assertEquals(4, target.calls);
        assertEquals(millis(1000, 1000, 1000), delays());
        assertEquals(4, RetryTrace.of(thrown).getAttempts());
    }

    @Test
    @DisplayName("a type names what is retried, also as a cause, and nothing else is")
    void typed() {
        target.failure = new IllegalStateException(new UndeliveredException(null));
        assertThrows(IllegalStateException.class, post::sendTyped);
        assertEquals(4, target.calls);

        target.failure = new IllegalStateException();
        assertThrows(IllegalStateException.class, post::sendTyped);
        assertEquals(5, target.calls);
    }

    @Test
    @DisplayName("delay, multiplier, maxDelay and excludes")
    void backoff() {
        assertThrows(UndeliveredException.class, post::sendWithBackoff);
        assertEquals(millis(100, 200, 400, 500), delays());

        target.failure = new UndeliveredException(new FileNotFoundException());
        assertThrows(UndeliveredException.class, post::sendWithBackoff);
        assertEquals(6, target.calls);
    }

    @Test
    @DisplayName("jitter stays within its part of the delay, not below the first delay and not above the last")
    void jitter() {
        assertThrows(UndeliveredException.class, post::sendWithJitter);

        long[] middles = {100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000};
        assertEquals(middles.length, delays().size());
        for (int i = 0; i < middles.length; i++) {
            long millis = delays().get(i).toMillis();
            long jitter = middles[i] / 10;
            assertTrue(millis >= Math.max(100, middles[i] - jitter), () -> "too short: " + millis);
            assertTrue(millis <= Math.min(1000, middles[i] + jitter), () -> "too long: " + millis);
        }
    }

    @Test
    @DisplayName("a maxDelay below the delay bounds the first wait too")
    void capped() {
        assertThrows(UndeliveredException.class, post::sendCapped);

        assertEquals(millis(500, 500, 500), delays());
    }

    @Test
    @DisplayName("placeholders and durations in texts")
    void configured() {
        assertThrows(UndeliveredException.class, post::sendAsConfigured);

        assertEquals(millis(3000), delays());
    }

    @Test
    @DisplayName("a timeout ends the call before a wait that would pass it")
    void timeout() {
        assertThrows(UndeliveredException.class, post::sendInTime);

        assertEquals(3, target.calls);
        assertEquals(StopReason.TIME, recorder.getCall().getReason());
    }

    @Test
    @DisplayName("a predicate of the method and the exception")
    void predicate() {
        assertThrows(UndeliveredException.class, post::greet);
        assertEquals(4, target.calls);

        target.failure = new IllegalArgumentException();
        assertThrows(IllegalArgumentException.class, post::greet);
        assertEquals(5, target.calls);
    }

    @Test
    @DisplayName("a Mono is subscribed to again")
    void reactive() {
        CompletableFuture<Void> end = post.sendReactively().toFuture();
        VirtualTimeScheduler.get().advanceTimeBy(Duration.ofSeconds(1));

        assertInstanceOf(
                UndeliveredException.class,
                assertThrows(ExecutionException.class, end::get).getCause());
        assertEquals(5, target.calls);
        assertEquals(millis(100, 100, 100, 100), delays());
    }

    @Test
    @DisplayName("a future that fails is retried, which Framework does not do")
    void future() {
        CompletableFuture<Void> end = post.sendLater();

        assertThrows(RuntimeException.class, () -> time.join(end));
        assertEquals(5, target.calls);
    }

    @Test
    @DisplayName("@ConcurrencyLimit stays in force, and Framework's own retries are gone")
    void limit() {
        assertThrows(UndeliveredException.class, post::sendAlone);

        assertEquals(2, target.calls);
        assertTrue(
                context.getBeansOfType(RetryAnnotationBeanPostProcessor.class).isEmpty());
    }

    @Test
    @DisplayName("on a class it counts for all methods, and one on a method replaces it")
    void whole() {
        Whole whole = context.getBean(Whole.class);

        assertThrows(IllegalStateException.class, whole::first);
        assertThrows(IllegalStateException.class, whole::second);
        Whole made = TargetsKt.targetOf(whole);
        assertEquals(3 + 2, made.calls);
    }

    @Test
    @DisplayName("each method has a retrier in the registry, by the names of its class and its own")
    void names() {
        RetryRegistry registry = context.getBean(RetryRegistry.class);

        assertTrue(registry.getNames().containsAll(List.of("Post.send", "Post.sendLater", "Whole.first")));
        assertFalse(registry.getNames().contains("Post.fails"));
        assertEquals(5, registry.get("Post.sendWithBackoff").policy().getMaxAttempts());
    }

    @Test
    @DisplayName("code with a RetryTemplate takes operations of the same policy")
    void template() throws RetryException {
        RetryPolicy policy = RetryPolicy.builder()
                .includes(IOException.class)
                .maxRetries(4)
                .delay(Duration.ofMillis(1))
                .multiplier(1.5)
                .maxDelay(Duration.ofMillis(2))
                .build();
        RetryOperations template = RepriseRetryOperations.of(policy);
        int[] calls = {0};

        assertEquals("sent", template.execute(() -> {
            if (++calls[0] < 5) throw new IOException();
            return "sent";
        }));
        assertThrows(
                RetryException.class,
                () -> template.execute(() -> {
                    calls[0]++;
                    throw new IllegalStateException();
                }));
        assertEquals(6, calls[0]);
    }
}
