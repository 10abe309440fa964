package io.github.resilience4j.circuitbreaker

/** Stands for the exception of this name. */
class CallNotPermittedException : RuntimeException("CircuitBreaker 'users' is OPEN and does not permit further calls")
