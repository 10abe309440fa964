package dev.reprise.core.call

/** An exception that many calls throw, such as a constant, does not collect suppressed ones without end. */
private const val MOST_SUPPRESSED = 4

/**
 * Suppresses [other] in this, unless it is this one itself or [MOST_SUPPRESSED] of its class are suppressed already.
 */
internal fun Throwable.carry(other: Throwable) {
    if (other === this) return
    val known = suppressed
    if (known.any { it === other } || known.count { it.javaClass == other.javaClass } >= MOST_SUPPRESSED) return
    addSuppressed(other)
}
