package dev.reprise.micrometer

/**
 * The gauges of a quota and a send rate. They are removed when this is closed, or when the quota or rate is
 * garbage-collected.
 */
public interface Watch : AutoCloseable {
    /** Removes the gauges. */
    override fun close()
}
