package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap

/**
 * A value for each of the first [most] names. Later ones share that of `other`, since the names of hosts and operations have no
 * bound; what has no name has that of `unnamed`. Safe for any number of threads.
 */
@ShellApi
public class FirstNames<V : Any>(private val most: Int, private val make: (String) -> V) {
    private val known = ConcurrentHashMap<String, V>()
    private val others by lazy { make("other") }
    private val unnamed by lazy { make("unnamed") }

    /** The value of [name]; a blank one is none. */
    public operator fun get(name: String?): V = if (name.isNullOrBlank()) unnamed else known[name] ?: ofNew(name)

    /** One name at a time: whoever asks for a name that is being made gets its value, and not that of `other`. */
    private fun ofNew(name: String): V {
        if (known.size < most) synchronized(known) { if (known.size < most) return known.getOrPut(name) { make(name) } }
        return known[name] ?: others
    }
}
