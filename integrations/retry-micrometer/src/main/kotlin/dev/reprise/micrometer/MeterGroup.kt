package dev.reprise.micrometer

import io.micrometer.core.instrument.Meter
import io.micrometer.core.instrument.MeterRegistry
import java.util.concurrent.ConcurrentLinkedQueue

/** Meters of one registry that go together. Safe for any number of threads. */
internal class MeterGroup(val registry: MeterRegistry) : AutoCloseable {
    private val meters = ConcurrentLinkedQueue<Meter>()

    @Volatile
    private var isClosed = false

    /** Adds [meter]. If the group is closed, or closes meanwhile, it is removed at once. */
    fun <M : Meter> add(meter: M): M {
        meters += meter
        if (isClosed) close()
        return meter
    }

    /** Removes the meters, and those that come later. Later recordings on them are lost. */
    override fun close() {
        isClosed = true
        while (true) registry.remove(meters.poll() ?: return)
    }
}
