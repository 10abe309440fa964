package dev.reprise.core.shell

/**
 * The first result of [look] on [failure] and its causes, nearest first. Ends after [limit] of them, even in a circle,
 * and at an [Error]: the cause of an error does not show whether another attempt would help.
 */
@ShellApi
public inline fun <R : Any> firstOfCauses(failure: Throwable, limit: Int = MAX_CAUSES, look: (Throwable) -> R?): R? {
    var cause: Throwable? = failure
    var depth = 0
    while (cause != null && depth++ < limit) {
        look(cause)?.let { return it }
        if (cause is Error) return null
        cause = causeOf(cause)
    }
    return null
}

/** The cause of [failure]; `null` if it has none, or if its class, which is code of others, throws when asked. */
@ShellApi
public fun causeOf(failure: Throwable): Throwable? = try {
    failure.cause
} catch (_: Throwable) {
    null
}

/** How deep causes are searched: as in the AWS SDK for JavaScript v3. */
@ShellApi
public const val MAX_CAUSES: Int = 10
