package dev.reprise.core

/** The method and host of a request, for listeners. Neither is secret. */
internal data class HttpTarget(val method: String, val host: String)
