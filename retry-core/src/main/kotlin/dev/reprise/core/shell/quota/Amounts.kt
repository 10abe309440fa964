package dev.reprise.core.shell.quota

/** Refuses a negative amount: taken, it would make tokens, and given back, it would destroy them. */
internal fun requireTokens(tokens: Int) = require(tokens >= 0) { "tokens must not be negative: $tokens" }
