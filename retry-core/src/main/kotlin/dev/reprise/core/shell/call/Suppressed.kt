package dev.reprise.core.shell.call

import dev.reprise.core.shell.causeOf

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

/**
 * [carry], also by the exception that this is a recovered copy of. Coroutines under a debugger or with assertions copy an
 * exception at each boundary that it passes, always from the original: what only a copy carries is gone at the next one.
 */
internal fun Throwable.carryThroughCopies(other: Throwable) {
    carry(other)
    val original = causeOf(this) ?: return
    if (original.javaClass == javaClass && isRecovered()) original.carry(other)
}

private fun Throwable.isRecovered() = try {
    stackTrace.any { it.className.startsWith("_COROUTINE.") }
} catch (_: Throwable) {
    // Code of others, as in causeOf.
    false
}
