package dev.reprise.samples.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.spring.boot.test.AutoConfigureVirtualTime;
import dev.reprise.test.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(properties = {"reprise.policies.orders.backoff.base=10m", "reprise.policies.orders.backoff.cap=1h"})
@AutoConfigureVirtualTime
class JavaOrdersTest {
    @Autowired
    JavaOrders orders;

    @Autowired
    VirtualTime time;

    @Test
    void isFoundInHalfAnHour() {
        long start = time.nanoTime();
        assertEquals("order 7", orders.find("7"));
        assertEquals(Duration.ofMinutes(10 + 20), Duration.ofNanos(time.nanoTime() - start));
    }
}
