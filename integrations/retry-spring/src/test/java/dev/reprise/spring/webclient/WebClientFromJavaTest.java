package dev.reprise.spring.webclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.spring.http.RetryAttributes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

class WebClientFromJavaTest {
    private final List<ClientRequest> sent = new ArrayList<>();

    private Mono<ClientResponse> busyOnce(ClientRequest request) {
        sent.add(request);
        HttpStatus status = sent.size() == 1 ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.OK;
        return Mono.just(ClientResponse.create(status).body(status.name()).build());
    }

    @Test
    void aPostThatSaysItIsIdempotentIsRepeated() {
        JavaRetrier retrier = JavaRetrier.of(RetryPolicy.HTTP);
        WebClient client = WebClient.builder()
                .filter(new RetryExchangeFilter(retrier))
                .exchangeFunction(this::busyOnce)
                .build();
        String body = client.post()
                .uri("http://orders.test/")
                .attributes(RetryAttributes.IDEMPOTENT)
                .attributes(RetryExchangeFilter.REPEATABLE_BODY)
                .bodyValue("order")
                .retrieve()
                .bodyToMono(String.class)
                .block();
        assertEquals("OK", body);
        assertEquals(2, sent.size());
        assertEquals(
                retrier.retrier().getQuota().getCapacity(),
                retrier.retrier().getQuota().getAvailable());
    }
}
