package dev.reprise.soak

import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import java.net.URI
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicLong

/**
 * A server that fails one request in three, in every way it knows, and sees whether unsafe work is done twice. Faces in
 * [withoutGarbage], by their names in paths, get no garbage for a status line: see [Garbage].
 */
internal class Server(private val withoutGarbage: Set<String>) : AutoCloseable {
    private val once = ConcurrentHashMap<String, Boolean>()

    /** Requests that were read. */
    val requests = AtomicLong()

    /** Unsafe requests that were read a second time, and where. */
    val duplicates: MutableSet<String> = ConcurrentHashMap.newKeySet()

    private val server = FaultServer.forMany { _, request ->
        requests.incrementAndGet()
        val path = request.path()
        if (path.startsWith(ONCE) && once.put(path, true) != null) duplicates += path
        fault(path.split('/')[FACE] !in withoutGarbage)
    }

    val uri: URI get() = server.uri()
    val openConnections: Int get() = server.openConnections()

    /** [path] will not be asked for again: a soak of days must not keep the paths of all its calls. */
    fun forget(path: String) {
        once.remove(path)
    }

    private fun fault(hasGarbage: Boolean): Fault {
        val random = ThreadLocalRandom.current()
        if (random.nextInt(3) > 0) return Fault.NONE
        val faults = if (hasGarbage) FAULTS else FAULTS_WITHOUT_GARBAGE
        return faults[random.nextInt(faults.size)]
    }

    override fun close() = server.close()

    companion object {
        /** The path of work that must not be done twice. */
        const val ONCE = "/once/"

        // Slow ones once, quick ones more often; a giant body and a redirect say nothing about leaks.
        private val QUICK = listOf(
            Fault.UNAVAILABLE,
            Fault.UNAVAILABLE,
            Fault.UNAVAILABLE_AND_CLOSE,
            Fault.STALE_KEEP_ALIVE,
            Fault.RESET,
            Fault.HANG_UP,
            Fault.CUT_HEAD,
            Fault.GARBAGE_STATUS,
            Fault.CUT_BODY,
            Fault.BAD_CHUNK,
            Fault.CUT_CHUNKS,
            Fault.EARLY_HINTS,
        )
        private val SLOW = listOf(Fault.HALF_CLOSE, Fault.SLOW_HEAD, Fault.STALLED_BODY, Fault.STALLED_FAILURE)
        private val FAULTS = QUICK + QUICK + QUICK + SLOW
        private val FAULTS_WITHOUT_GARBAGE = FAULTS.filter { it != Fault.GARBAGE_STATUS }

        /** The part of a path, from 0, that names the face: /safe/OkHttp/17. */
        private const val FACE = 2
    }
}
