import dev.reprise.spring.Retry;
import dev.reprise.spring.RetryRegistry;
import dev.reprise.spring.http.HttpRetries;
import dev.reprise.spring.http.RetryInterceptor;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.client.RestClient;

/** A Spring Boot application with a method that is retried, and a RestClient. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class SpringRest {
    /** Fails once each. */
    static class Orders {
        private int calls;

        @Retry("orders")
        String find() throws ConnectException {
            if (++calls % 2 == 1) throw new ConnectException("refused");
            return "order";
        }

        @Retry("orders")
        CompletableFuture<String> findLater() {
            if (++calls % 2 == 1) return CompletableFuture.failedFuture(new ConnectException("refused"));
            return CompletableFuture.completedFuture("order");
        }
    }

    @Bean
    Orders orders() {
        return new Orders();
    }

    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(SpringRest.class)
                        .properties(
                                "spring.main.banner-mode=off",
                                "logging.level.root=warn",
                                "spring.main.web-application-type=none",
                                "reprise.policies.orders.preset=http",
                                "reprise.policies.orders.max-attempts=4")
                        .run()) {
            Orders orders = context.getBean(Orders.class);
            Flaky.check(orders.find().equals("order"), "a method");
            Flaky.check(orders.findLater().get().equals("order"), "a future");
            HttpRetries retries = HttpRetries.of(context.getBean(RetryRegistry.class), "orders");
            RestClient client = RestClient.builder()
                    .requestInterceptor(new RetryInterceptor(retries))
                    .build();
            client.put().uri(server.url()).body("an order").retrieve().toBodilessEntity();
            Flaky.check(server.requests() == 2, server.requests());
        }
    }
}
