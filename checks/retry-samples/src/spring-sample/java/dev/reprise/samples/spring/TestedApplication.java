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

/**
 * The tested application: its client fails twice before each result. Without an attempt's timeout, since virtual time
 * would not wait for the threads of {@link FutureOrders}.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration(RepriseAutoConfiguration.class)
@Import({JavaOrders.class, FutureOrders.class})
class TestedApplication {
    private int calls;

    TestedApplication(ConfigurableEnvironment environment) {
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "orders",
                        java.util.Map.of(
                                "reprise.policies.orders.preset", "http",
                                "reprise.policies.orders.max-attempts", "4")));
    }

    @Bean
    OrderClient client() {
        return id -> {
            if (++calls % 3 != 0) throw new UncheckedIOException(new ConnectException("refused"));
            return "order " + id;
        };
    }
}
