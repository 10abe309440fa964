package dev.reprise.reactor

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.ServedRequest
import reactor.util.context.Context

/** This context, whose calls are made for [request]. For a server's plugin: `chain.filter(exchange).contextWrite { it.serving(request) }`. */
@ShellApi
public fun Context.serving(request: ServedRequest): Context = put(ServedRequest::class.java, request)

/** Runs [begin], which begins a call, for the request that this context serves, if there is one; else for the thread's. */
internal inline fun <R> Context.servedWhile(begin: () -> R): R {
    val request = getOrDefault<ServedRequest>(ServedRequest::class.java, null) ?: return begin()
    return request.open().use { begin() }
}
