package dev.reprise.spring.boot

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.values.detail
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.spring.RetryConfigurer
import java.time.Instant
import java.util.concurrent.ConcurrentHashMap

/** Remembers the last calls of each policy that were given up; those of HTTP clients apart. */
internal class GiveUps : RetryConfigurer {
    private val last = ConcurrentHashMap<String, ArrayDeque<Map<String, Any?>>>()

    override fun configure(name: String, builder: JavaRetrierBuilder) = listen(name, builder)

    override fun configureHost(name: String, builder: JavaRetrierBuilder) = listen(clientsOf(name), builder)

    private fun listen(name: String, builder: JavaRetrierBuilder) {
        builder.listener(RetryListener { if (it is RetryEvent.CallGaveUp) add(name, it) })
    }

    /** The give-ups of the policy called [name], newest first: when, which operation, after how many attempts and why. */
    fun of(name: String): List<Map<String, Any?>> {
        val calls = last[name] ?: return emptyList()
        return synchronized(calls) { calls.toList() }
    }

    private fun add(name: String, event: RetryEvent.CallGaveUp) {
        val calls = last.computeIfAbsent(name) { ArrayDeque() }
        val call = mapOf(
            "at" to Instant.now().toString(),
            "operation" to event.operation,
            "attempts" to event.attempts,
            "reason" to event.reason.toString(),
            "detail" to event.detail,
        )
        synchronized(calls) {
            calls.addFirst(call)
            if (calls.size > MOST) calls.removeLast()
        }
    }
}

private const val MOST = 10
