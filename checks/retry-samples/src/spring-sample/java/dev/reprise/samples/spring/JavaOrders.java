package dev.reprise.samples.spring;

import dev.reprise.spring.Retry;
import org.springframework.stereotype.Service;

@Service
public class JavaOrders {
    private final OrderClient client;

    public JavaOrders(OrderClient client) {
        this.client = client;
    }

    @Retry("orders")
    public String find(String id) {
        return client.find(id);
    }
}
