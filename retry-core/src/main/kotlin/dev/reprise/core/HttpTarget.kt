package dev.reprise.core

/** What an HTTP face tells listeners of its request: method and host, and nothing that may be secret. */
internal data class HttpTarget(val method: String, val host: String)
