package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.coroutines.Retrier;
import dev.reprise.reactor.RetryReactor;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The Java snippet of the Reactor guide, run. */
class ReactorFromJavaTest {
    private record Order(int id) {}

    private static final class Orders {
        private int calls;

        Mono<Order> find(int id) {
            return Mono.fromCallable(() -> {
                if (calls++ == 0) throw new IOException("reset");
                return new Order(id);
            });
        }
    }

    private final Orders orders = new Orders();

    @Test
    void aMono() {
        int id = 7;

        Retrier retrier = new Retrier();
        Mono<Order> order = orders.find(id).transform(mono -> RetryReactor.retry(mono, retrier));
        assertEquals(new Order(7), order.block());
        assertEquals(2, orders.calls);
    }
}
