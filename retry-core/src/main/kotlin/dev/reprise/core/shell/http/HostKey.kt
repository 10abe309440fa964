package dev.reprise.core.shell.http

import dev.reprise.core.shell.ShellApi

/** The key of those calls that share a quota and a send rate unless the user says otherwise. */
@ShellApi
public object HostKey {
    private const val HTTP = 80
    private const val HTTPS = 443

    /** `host:port` of an address; [port] is 0 or less for the default one of [scheme]. Host and scheme in any case. */
    @JvmStatic
    public fun of(scheme: String?, host: String?, port: Int): String =
        host.toString().lowercase() + ":" + if (port > 0) port else defaultPort(scheme)

    private fun defaultPort(scheme: String?): Int =
        if (scheme.equals("https", ignoreCase = true) || scheme.equals("wss", ignoreCase = true)) HTTPS else HTTP
}
