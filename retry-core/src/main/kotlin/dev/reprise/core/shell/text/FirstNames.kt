package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/**
 * A value for each of the first [most] names; later ones share that of [others], since the names of hosts and operations have no
 * bound. Safe for any number of threads.
 */
@ShellApi
public class FirstNames<V : Any>(most: Int, private val others: () -> V, private val make: (String) -> V) {
    private val known = ConcurrentHashMap<String, V>()
    private val places = AtomicInteger(most)

    /** The value of [name]. */
    public operator fun get(name: String): V = known[name] ?: ofNew(name)

    /** Takes a place before the name is known, so that racing threads never make one value too many. */
    private fun ofNew(name: String): V {
        if (places.getAndUpdate { maxOf(0, it - 1) } == 0) return known[name] ?: others()
        val made = make(name)
        val earlier = known.putIfAbsent(name, made) ?: return made
        places.incrementAndGet()
        return earlier
    }
}
