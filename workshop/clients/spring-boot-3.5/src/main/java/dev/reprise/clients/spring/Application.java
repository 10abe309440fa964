package dev.reprise.clients.spring;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.micrometer.RetryMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.annotation.Bean;

/** A retrier with metrics as a bean, on the versions that Spring Boot manages. */
@SpringBootConfiguration(proxyBeanMethods = false)
class Application {
    @Bean
    MeterRegistry registry() {
        return new SimpleMeterRegistry();
    }

    @Bean
    JavaRetrier retrier(MeterRegistry registry) {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(4)
                .backoff(Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(5)))
                .build();
        return JavaRetrier.builder()
                .policy(policy)
                .listener(RetryMetrics.of(registry, "users"))
                .build();
    }

    private static void check(boolean holds, Object what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) throws IOException {
        try (var context = SpringApplication.run(Application.class, args)) {
            AtomicInteger calls = new AtomicInteger();
            String result = context.getBean(JavaRetrier.class).call(() -> {
                if (calls.incrementAndGet() < 3) throw new IOException("down");
                return "call " + calls;
            });
            check(result.equals("call 3"), result);
            var meters = context.getBean(MeterRegistry.class).getMeters().stream()
                    .map(Meter::getId)
                    .toList();
            check(!meters.isEmpty(), "meters");
            System.out.printf(
                    "spring-boot %s: passed on Kotlin %s, Java %s, %d meters%n",
                    SpringBootVersion.getVersion(), kotlin.KotlinVersion.CURRENT, Runtime.version(), meters.size());
        }
    }
}
