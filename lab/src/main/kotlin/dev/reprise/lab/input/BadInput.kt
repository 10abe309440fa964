package dev.reprise.lab.input

import com.github.ajalt.clikt.core.CliktError

/** A user's input makes no sense; [message] says so in one line, with exit code 2. */
internal class BadInput(message: String) : CliktError(line(message), statusCode = 2) {
    private companion object {
        /** The longest line, in characters: some hundred of the input, and all presets. */
        const val LONGEST = 1_000

        /** Not a letter, but an order to a terminal or the end of a line. */
        val CONTROL = Regex("[\\p{Cc}\\u2028\\u2029]")

        fun line(message: String): String {
            val line = message.replace(CONTROL, " ")
            return if (line.length <= LONGEST) line else line.take(LONGEST) + "..."
        }
    }
}

/** Runs [experiment]; a scenario that makes no sense is a message and not a stack trace. */
internal fun <T> checked(experiment: () -> T): T = try {
    experiment()
} catch (failure: IllegalArgumentException) {
    throw BadInput(failure.message.orEmpty())
}
