package dev.reprise.core

/**
 * Exceptions of other libraries whose class alone says what happened, since they carry neither response nor cause. By name, so that
 * none of the libraries is required.
 */
internal object NamedErrors {
    /** A circuit breaker is open, and the work was not done: a retry would meet it open again, or hold it open. */
    val OPEN_BREAKERS: Set<String> = java.util.Set.of(
        "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
        "dev.failsafe.CircuitBreakerOpenException",
        "org.eclipse.microprofile.faulttolerance.exceptions.CircuitBreakerOpenException",
    )

    /** These, as a table that looks among the causes too. */
    val TABLE = ExceptionTable(
        ExceptionRule(kind = null, OPEN_BREAKERS),
        ExceptionRule(FailureKind.TIMEOUT, "io.lettuce.core.RedisCommandTimeoutException"),
        ExceptionRule(
            FailureKind.TRANSIENT,
            "io.lettuce.core.RedisConnectionException",
            "redis.clients.jedis.exceptions.JedisConnectionException",
            "com.anthropic.errors.AnthropicIoException",
            "com.anthropic.errors.InternalServerException",
            "com.openai.errors.OpenAIIoException",
            "com.openai.errors.InternalServerException",
        ),
        ExceptionRule(
            FailureKind.THROTTLING,
            "com.anthropic.errors.RateLimitException",
            "com.openai.errors.RateLimitException",
        ),
    )
}
