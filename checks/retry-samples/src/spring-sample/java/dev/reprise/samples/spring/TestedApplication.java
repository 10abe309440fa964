package dev.reprise.samples.spring;

import dev.reprise.spring.boot.RepriseAutoConfiguration;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** The application that {@link JavaOrdersTest} tests: its client is there from each third call on. */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration(RepriseAutoConfiguration.class)
@Import(JavaOrders.class)
class TestedApplication {
    private int calls;

    TestedApplication(ConfigurableEnvironment environment) {
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "orders",
                        java.util.Map.of(
                                "reprise.policies.orders.preset", "http",
                                "reprise.policies.orders.backoff.base", "10m",
                                "reprise.policies.orders.backoff.cap", "1h")));
    }

    @Bean
    OrderClient client() {
        return id -> {
            if (++calls % 3 != 0) throw new UncheckedIOException(new ConnectException("refused"));
            return "order " + id;
        };
    }
}
