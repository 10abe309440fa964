package dev.reprise.samples.spring;

import dev.reprise.spring.Retry;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** {@link JavaOrders} without a thread that waits. */
@Service
public class FutureOrders {
    private final OrderClient client;

    public FutureOrders(OrderClient client) {
        this.client = client;
    }

    @Retry("orders")
    public CompletableFuture<String> find(String id) {
        return CompletableFuture.supplyAsync(() -> client.find(id));
    }
}
