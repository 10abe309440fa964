package dev.reprise.samples.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.spring.boot.test.AutoConfigureVirtualTime;
import dev.reprise.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureVirtualTime
class FutureOrdersTest {
    @Autowired
    FutureOrders orders;

    @Autowired
    VirtualTime time;

    @Test
    void aFutureEndsInVirtualTimeToo() {
        assertEquals("order 7", time.join(orders.find("7")));
    }
}
