package dev.reprise.core

import dev.reprise.core.shell.text.WarningLog

/**
 * Whether this process makes retries: `-Ddev.reprise.retries=off` says no, and then each call of every retrier makes one attempt.
 * A poll goes on, since its next look is no retry. Read once, by the first retrier, and told in the log then.
 */
internal object RetriesSwitch {
    private const val PROPERTY = "dev.reprise.retries"

    @JvmField
    val isOff: Boolean = System.getProperty(PROPERTY)?.lowercase() == "off"

    init {
        if (isOff) WarningLog.tell("-D$PROPERTY=off: no retrier of this process makes retries or hedges")
    }
}
