import dev.reprise.spring.webclient.RetryExchangeFilter;
import java.time.Duration;
import org.springframework.web.reactive.function.client.WebClient;

/** A WebClient. */
final class SpringWebClient {
    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky()) {
            WebClient client =
                    WebClient.builder().filter(new RetryExchangeFilter()).build();
            client.put()
                    .uri(server.url())
                    .bodyValue("an order")
                    .retrieve()
                    .toBodilessEntity()
                    .block(Duration.ofSeconds(20));
            Flaky.check(server.requests() == 2, server.requests());
        }
    }
}
