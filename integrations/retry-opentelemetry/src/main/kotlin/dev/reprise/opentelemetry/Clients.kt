package dev.reprise.opentelemetry

import dev.reprise.core.shell.text.FirstNames
import io.opentelemetry.api.common.Attributes

/**
 * The attributes of retriers by name. The first [MOST] names have their own; later ones share `other`, since HTTP clients name
 * retriers by host and hosts have no bound; retriers without a name are `unnamed`. Safe for any number of threads.
 */
internal class Clients {
    private val byName = FirstNames(MOST, { OTHER }, ::attributesOf)

    fun of(retrier: String?): Attributes = if (retrier == null) UNNAMED else byName[retrier]

    companion object {
        /** As many as Micrometer's metrics tell apart by default. */
        private const val MOST = 100

        val UNNAMED: Attributes = attributesOf("unnamed")
        private val OTHER = attributesOf("other")

        fun attributesOf(client: String): Attributes = Attributes.of(MeterNames.CLIENT, client)
    }
}
