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

    /** Whoever asks for a name whose value is being made gets that, and not the one of `other`. */
    private fun ofNew(name: String): V = known.compute(name) { _, made ->
        made ?: if (places.getAndUpdate { maxOf(0, it - 1) } > 0) make(name) else null
    } ?: others
}
