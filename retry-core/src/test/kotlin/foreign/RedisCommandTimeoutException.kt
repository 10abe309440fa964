package io.lettuce.core

/** Stands for the exception of this name. */
class RedisCommandTimeoutException : RuntimeException("Command timed out after 1 second(s)")
