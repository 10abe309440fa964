package dev.reprise.core.shell.text

/** This text as a number if it is ASCII digits, [most] at the most; otherwise `null`. */
internal fun String.digitsOrNull(most: Int): Long? = if (length in 1..most && all { it in '0'..'9' }) toLong() else null
