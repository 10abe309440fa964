package dev.reprise.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.reprise.core.Backoff;
import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.coroutines.Retrier;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class JavaCallerTest {
    private final Retrier retrier = new Retrier(
            RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofMinutes(1))).build());
    private int attempts;

    private Mono<String> orders() {
        return Mono.fromCallable(() -> {
            if (++attempts < 3) throw new IOException("reset");
            return "orders";
        });
    }

    @Test
    void aMonoReadsInAChain() {
        StepVerifier.withVirtualTime(() -> orders().transform(mono -> RetryReactor.retry(mono, retrier)))
                .thenAwait(Duration.ofMinutes(2))
                .expectNext("orders")
                .verifyComplete();
        assertEquals(3, attempts);
    }

    @Test
    void optionsAndSchedulerAreGivenWhereNeeded() {
        StepVerifier.withVirtualTime(() ->
                        RetryReactor.retry(orders(), retrier, CallOptions.named("orders"), Schedulers.boundedElastic()))
                .thenAwait(Duration.ofMinutes(2))
                .expectNext("orders")
                .verifyComplete();
    }

    @Test
    void workMayLookAtItsAttempt() {
        Mono<Integer> number = RetryReactor.mono(retrier, attempt -> {
            if (attempt.getNumber() == 1) return Mono.error(new IOException("reset"));
            return Mono.just(attempt.getNumber());
        });
        StepVerifier.withVirtualTime(() -> number)
                .thenAwait(Duration.ofMinutes(1))
                .expectNext(2)
                .verifyComplete();
    }

    @Test
    void anOutcomeSaysHowTheCallEnded() {
        RetryOutcome<String> failed = RetryReactor.outcome(
                        Mono.<String>error(new IllegalStateException("bug")), retrier)
                .block();
        assertEquals(1, failed.getAttempts());
        assertInstanceOf(RetryOutcome.Failure.class, failed);
        assertNull(RetryReactor.outcome(Mono.<String>empty(), retrier).block().getOrThrow());
    }

    @Test
    void aFluxIsRepeatedBeforeItsFirstElement() {
        Flux<String> flux = Flux.defer(
                () -> ++attempts == 1 ? Flux.error(new IOException("reset")) : Flux.fromIterable(List.of("a", "b")));
        StepVerifier.withVirtualTime(() -> flux.transform(source -> RetryReactor.retry(source, retrier)))
                .thenAwait(Duration.ofMinutes(1))
                .expectNext("a", "b")
                .verifyComplete();
    }
}
