package dev.reprise.opentelemetry

import io.opentelemetry.api.common.Attributes
import java.util.concurrent.ConcurrentHashMap

/**
 * The attributes of retriers by name. The first [MOST] names have their own; later ones share `other`, since HTTP clients name
 * retriers by host and hosts have no bound; retriers without a name are `unnamed`. Safe for any number of threads.
 */
internal class Clients {
    private val byName = ConcurrentHashMap<String, Attributes>()

    fun of(retrier: String?): Attributes = if (retrier == null) UNNAMED else byName[retrier] ?: ofNew(retrier)

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun ofNew(name: String): Attributes =
        byName[name] ?: if (byName.size >= MOST) OTHER else attributesOf(name).also { byName[name] = it }

    companion object {
        /** As many as Micrometer's metrics tell apart by default. */
        private const val MOST = 100

        val UNNAMED: Attributes = attributesOf("unnamed")
        private val OTHER = attributesOf("other")

        fun attributesOf(client: String): Attributes = Attributes.of(MeterNames.CLIENT, client)
    }
}
