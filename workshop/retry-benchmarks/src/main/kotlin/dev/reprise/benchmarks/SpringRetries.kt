package dev.reprise.benchmarks

import dev.reprise.core.backoff.Backoff
import dev.reprise.core.quota.TokenBucketSettings
import dev.reprise.spring.http.HttpRetries
import io.github.resilience4j.retry.Retry
import io.github.resilience4j.retry.RetryConfig
import java.time.Duration
import dev.reprise.core.RetryPolicy as ReprisePolicy

/** Retries of Spring's clients, without waits. */
internal fun springRetries(): HttpRetries = HttpRetries.builder()
    .policy(
        ReprisePolicy.HTTP.with {
            maxAttempts = ATTEMPTS
            backoff = Backoff.IMMEDIATE
            quota = TokenBucketSettings { capacity = Int.MAX_VALUE }
        },
    )
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
