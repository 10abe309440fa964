package dev.reprise.micrometer

/** The gauges of a quota and a send rate. They go when this is closed, or when what they show is gone. */
public interface Watch : AutoCloseable {
    /** Removes the gauges. */
    override fun close()
}
