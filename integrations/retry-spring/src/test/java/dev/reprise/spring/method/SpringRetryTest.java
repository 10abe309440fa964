package dev.reprise.spring.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.Jitter;
import dev.reprise.core.RetryPolicy;
import dev.reprise.spring.Retry;
import dev.reprise.spring.RetryConfigurer;
import dev.reprise.spring.RetryRegistry;
import dev.reprise.test.Recorder;
import dev.reprise.test.VirtualTime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * The cases of Spring Retry's page. The annotation of each method is now a policy by name; the caller stays as it was.
 */
@DisplayName("What was written for Spring Retry")
class SpringRetryTest {
    private static final class RemoteException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The caller: it knows the service, and nothing of retries. */
    static class Caller {
        private final Service service;

        Caller(Service service) {
            this.service = service;
        }

        String load() {
            try {
                return service.load();
            } catch (RemoteException e) {
                return "recovered";
            }
        }
    }

    static class Service {
        int calls;
        int failures = Integer.MAX_VALUE;
        Exception failure = new RemoteException();

        // @Retryable(retryFor = RemoteException.class), with a @Recover
        @Retry("plain")
        public String load() {
            if (calls++ < failures) throw new RemoteException();
            return "loaded";
        }

        // @Retryable(maxAttempts = 12, backoff = @Backoff(delay = 100, maxDelay = 500))
        @Retry("between")
        public void loadOften() throws Exception {
            fails();
        }

        // @Retryable(retryFor = IOException.class, noRetryFor = FileNotFoundException.class)
        @Retry("files")
        public void loadFile() throws Exception {
            fails();
        }

        // RetryTemplate.builder().maxAttempts(10).exponentialBackoff(100, 2,
        // 10000).retryOn(IOException.class).traversingCauses()
        @Retry("causes")
        public void loadWrapped() throws Exception {
            fails();
        }

        // RetryTemplate.builder().infiniteRetry().fixedBackoff(10).retryOn(RemoteException.class), within a second
        @Retry("endless")
        public void loadInTime() throws Exception {
            fails();
        }

        private void fails() throws Exception {
            calls++;
            throw failure;
        }
    }

    @EnableReprise
    static class Application {}

    private static final Map<String, RetryPolicy> POLICIES = Map.of(
            "plain",
            RetryPolicy.builder()
                    .retryOn(RemoteException.class)
                    .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                    .build(),
            "between",
            RetryPolicy.builder()
                    .retryOn(RemoteException.class)
                    .maxAttempts(12)
                    .backoff(Backoff.custom(retry -> Duration.ofMillis(100 + (retry.getRetryIndex() * 97L) % 401)))
                    .build(),
            "files",
            RetryPolicy.builder()
                    .retryOn(IOException.class)
                    .rejectOn(FileNotFoundException.class)
                    .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                    .build(),
            "causes",
            RetryPolicy.builder()
                    .classifyFirst(Classifier.onCause(IOException.class))
                    .maxAttempts(10)
                    .exponentialBackoff(Duration.ofMillis(100), Duration.ofSeconds(10), Jitter.NONE)
                    .build(),
            "endless",
            RetryPolicy.builder()
                    .retryOn(RemoteException.class)
                    .unlimitedAttempts()
                    .deadline(Duration.ofSeconds(1))
                    .quota(null)
                    .backoff(Backoff.fixed(Duration.ofMillis(10)))
                    .build());

    private final VirtualTime time = new VirtualTime();
    private final Recorder recorder = new Recorder();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private Service service;
    private Service target;

    @BeforeEach
    void start() {
        RetryConfigurer inTime =
                (name, builder) -> builder.clock(time).waiter(time).listener(recorder);
        context.registerBean(RetryRegistry.class, () -> new RetryRegistry(POLICIES, List.of(inTime)));
        context.register(Application.class, Service.class);
        context.refresh();
        service = context.getBean(Service.class);
        target = TargetsKt.targetOf(service);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    private List<Duration> delays() {
        return recorder.getCall().getDelays();
    }

    private static List<Duration> millis(int... millis) {
        return IntStream.of(millis).mapToObj(Duration::ofMillis).toList();
    }

    @Test
    @DisplayName("makes three attempts with a second between them, and the caller recovers")
    void plain() {
        assertEquals("recovered", new Caller(service).load());
        assertEquals(3, target.calls);
        assertEquals(millis(1000, 1000), delays());
    }

    @Test
    @DisplayName("returns what a later attempt returns")
    void succeeds() {
        target.failures = 2;
        assertEquals("loaded", new Caller(service).load());
        assertEquals(millis(1000, 1000), delays());
    }

    @Test
    @DisplayName("makes twelve attempts, with waits of 100 to 500 ms")
    void between() {
        assertThrows(RemoteException.class, service::loadOften);
        assertEquals(12, target.calls);
        assertEquals(11, delays().size());
        for (Duration delay : delays()) assertTrue(delay.toMillis() >= 100 && delay.toMillis() <= 500);
    }

    @Test
    @DisplayName("retries a type, and not its exception to the rule")
    void types() {
        target.failure = new IOException();
        assertThrows(IOException.class, service::loadFile);
        assertEquals(3, target.calls);
        target.failure = new FileNotFoundException();
        assertThrows(FileNotFoundException.class, service::loadFile);
        assertEquals(4, target.calls);
    }

    @Test
    @DisplayName("looks at causes, and doubles the wait up to ten seconds")
    void causes() {
        target.failure = new IllegalStateException(new IOException());
        assertThrows(IllegalStateException.class, service::loadWrapped);
        assertEquals(millis(100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000), delays());
    }

    @Test
    @DisplayName("retries without end, but for a second")
    void endless() {
        assertThrows(RemoteException.class, service::loadInTime);
        assertEquals(
                Duration.ofMillis(990),
                Duration.ofNanos(delays().stream().mapToLong(Duration::toNanos).sum()));
        assertEquals(100, target.calls);
    }
}
