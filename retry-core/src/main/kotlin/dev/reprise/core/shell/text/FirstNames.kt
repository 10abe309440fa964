package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap

/**
 * A value for each of the first [most] names; later ones share that of [others], since the names of hosts and operations have no
 * bound. Safe for any number of threads.
 */
@ShellApi
public class FirstNames<V : Any>(private val most: Int, private val others: () -> V, private val make: (String) -> V) {
    private val known = ConcurrentHashMap<String, V>()

    /** The value of [name]. */
    public operator fun get(name: String): V = known[name] ?: ofNew(name)

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun ofNew(name: String): V =
        known[name] ?: if (known.size >= most) others() else make(name).also { known[name] = it }
}
