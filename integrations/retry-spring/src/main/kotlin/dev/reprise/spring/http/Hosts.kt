package dev.reprise.spring.http

import dev.reprise.core.shell.http.HostKey
import java.net.URI

/** The hosts of requests. A name with an underscore, as containers have, is none to [URI], but clients connect to it. */
internal object Hosts {
    /** The name of the host of [uri]; `null` if it has none. */
    fun nameOf(uri: URI): String? = uri.host ?: serverOf(uri)?.substringBeforeLast(':')

    /** The key of those requests that share a quota unless the user says otherwise. */
    fun keyOf(uri: URI): String {
        val port = if (uri.host != null) uri.port else serverOf(uri)?.substringAfterLast(':', "")?.toIntOrNull()
        return HostKey.of(uri.scheme, nameOf(uri), port ?: -1)
    }

    private fun serverOf(uri: URI): String? = uri.rawAuthority?.substringAfterLast('@')
}
