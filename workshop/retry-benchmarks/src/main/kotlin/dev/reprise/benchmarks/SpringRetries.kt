package dev.reprise.benchmarks

import dev.reprise.spring.http.HttpRetries
import io.github.resilience4j.retry.Retry
import io.github.resilience4j.retry.RetryConfig
import java.time.Duration

/** Retries of Spring's clients, without waits. */
internal fun springRetries(): HttpRetries = HttpRetries.builder()
    .policy(HTTP_STANDARD)
    .build()

/** Resilience4j's retries of the same responses. */
internal fun resilience4jRetries(): Retry = Retry.of(
    "spring",
    RetryConfig.custom<Int>()
        .maxAttempts(ATTEMPTS)
        .waitDuration(Duration.ofNanos(1))
        .retryOnResult { it >= UNAVAILABLE }
        .build(),
)
