package dev.reprise.lab.input

/** Runs [experiment]; a scenario that makes no sense is a message and not a stack trace. */
internal fun <T> checked(experiment: () -> T): T = try {
    experiment()
} catch (failure: IllegalArgumentException) {
    throw BadInput(failure.message.orEmpty())
}
