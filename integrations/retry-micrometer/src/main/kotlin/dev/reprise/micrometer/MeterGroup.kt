package dev.reprise.micrometer

import io.micrometer.core.instrument.Meter
import io.micrometer.core.instrument.MeterRegistry
import java.util.concurrent.ConcurrentLinkedQueue

/** Meters of one registry that go together. Safe for any number of threads. */
internal class MeterGroup(val registry: MeterRegistry) : AutoCloseable {
    private val meters = ConcurrentLinkedQueue<Meter>()

    fun <M : Meter> add(meter: M): M = meter.also { meters += it }

    /** Removes the meters. Later recordings on them are lost. */
    override fun close() {
        while (true) registry.remove(meters.poll() ?: return)
    }
}
