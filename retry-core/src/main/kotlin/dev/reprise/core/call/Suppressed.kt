package dev.reprise.core.call

/** An exception that many calls throw, such as a constant, does not collect suppressed ones without end. */
private const val MOST_SUPPRESSED = 4

/** Adds [other] to what this suppresses, unless it is this one itself or there are [MOST_SUPPRESSED] of its class already. */
internal fun Throwable.carry(other: Throwable) {
    if (other === this) return
    val known = suppressed
    if (known.any { it === other } || known.count { it.javaClass == other.javaClass } >= MOST_SUPPRESSED) return
    addSuppressed(other)
}
