package dev.reprise.samples.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.spring.boot.RepriseAutoConfiguration;
import dev.reprise.spring.boot.test.AutoConfigureVirtualTime;
import dev.reprise.test.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@SpringBootTest(
        classes = JavaOrders.class,
        properties = {
            "reprise.policies.orders.preset=http",
            "reprise.policies.orders.backoff.base=1h",
            "reprise.policies.orders.backoff.cap=1d"
        })
@AutoConfigureVirtualTime
@ImportAutoConfiguration(RepriseAutoConfiguration.class)
@Import(JavaOrdersTest.FailingClient.class)
class JavaOrdersTest {
    /** Is there from its third call on. */
    static class FailingClient implements OrderClient {
        int calls;

        @Override
        public String find(String id) {
            if (++calls < 3) sneakyThrow(new ConnectException("refused"));
            return "order " + id;
        }

        @SuppressWarnings("unchecked")
        private static <X extends Throwable> void sneakyThrow(Throwable failure) throws X {
            throw (X) failure;
        }
    }

    @Autowired
    JavaOrders orders;

    @Autowired
    FailingClient client;

    @Autowired
    VirtualTime time;

    @BeforeEach
    void reset() {
        client.calls = 0;
    }

    @Test
    void retriesForHours() {
        long before = time.nanoTime();

        assertEquals("order 7", orders.find("7"));

        assertEquals(Duration.ofHours(1 + 2), Duration.ofNanos(time.nanoTime() - before));
    }

    @Test
    void aFutureEndsInVirtualTimeToo() {
        assertEquals("order 7", time.join(orders.findNow("7")));

        assertEquals(3, client.calls);
    }
}
