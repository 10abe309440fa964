package dev.reprise.spring.boot

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.spring.RetryConfigurer
import java.time.Instant
import java.util.concurrent.ConcurrentHashMap

/** Remembers the last calls of each policy that were given up; those of HTTP clients apart. */
internal class GiveUps : RetryConfigurer {
    private val last = ConcurrentHashMap<String, ArrayDeque<GiveUp>>()

    override fun configure(name: String, builder: JavaRetrierBuilder) = listen(name, builder)

    override fun configureHost(name: String, builder: JavaRetrierBuilder) = listen(clientsOf(name), builder)

    private fun listen(name: String, builder: JavaRetrierBuilder) {
        builder.listener(RetryListener { if (it is RetryEvent.CallGaveUp) add(name, it) })
    }

    /** The give-ups of the policy called [name], newest first. */
    fun of(name: String): List<GiveUp> {
        val calls = last[name] ?: return emptyList()
        return synchronized(calls) { calls.toList() }
    }

    private fun add(name: String, event: RetryEvent.CallGaveUp) {
        val calls = last.computeIfAbsent(name) { ArrayDeque() }
        val call = GiveUp(Instant.now().toString(), event.operation, event.attempts, event.reason.toString())
        synchronized(calls) {
            calls.addFirst(call)
            if (calls.size > MOST) calls.removeLast()
        }
    }

    private companion object {
        const val MOST = 10
    }
}

/** A call that was given up: when, which operation, after how many attempts and why. */
internal class GiveUp(val at: String, val operation: String?, val attempts: Int, val reason: String)
