package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/**
 * A value for each of the first [most] names. Later ones share that of `other`, since the names of hosts and operations have no
 * bound; what has no name has that of `unnamed`. Safe for any number of threads.
 */
@ShellApi
public class FirstNames<V : Any>(most: Int, private val make: (String) -> V) {
    private val known = ConcurrentHashMap<String, V>()
    private val places = AtomicInteger(most)
    private val others by lazy { make("other") }
    private val unnamed by lazy { make("unnamed") }

    /** The value of [name]; a blank one is none. */
    public operator fun get(name: String?): V = if (name.isNullOrBlank()) unnamed else known[name] ?: ofNew(name)

    /** Takes a place before the name is known, so that racing threads never make one value too many. */
    private fun ofNew(name: String): V {
        if (places.getAndUpdate { maxOf(0, it - 1) } == 0) return known[name] ?: others
        val made = make(name)
        val earlier = known.putIfAbsent(name, made) ?: return made
        places.incrementAndGet()
        return earlier
    }
}
