package dev.reprise.spring.observation

import java.util.concurrent.ConcurrentHashMap

/**
 * Names of retriers as values of the key `client`. The first [MOST] stand for themselves; later ones share `other`, since HTTP
 * clients name retriers by host and hosts have no bound. Safe for any number of threads.
 */
internal class ClientNames {
    private val known = ConcurrentHashMap.newKeySet<String>()

    fun of(retrier: String?): String = when (retrier) {
        null -> "none"
        in known -> retrier
        else -> ofNew(retrier)
    }

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun ofNew(name: String): String {
        if (known.size < MOST) known += name
        return if (name in known) name else "other"
    }

    private companion object {
        /** As many as the metrics tell apart by default. */
        const val MOST = 100
    }
}
