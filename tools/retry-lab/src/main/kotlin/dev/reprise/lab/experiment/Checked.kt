package dev.reprise.lab.experiment

import dev.reprise.lab.arguments.BadInput

/** Runs [experiment]; a scenario that makes no sense is a message and not a stack trace. */
internal fun <T> checked(experiment: () -> T): T = try {
    experiment()
} catch (failure: IllegalArgumentException) {
    throw BadInput(failure.message.orEmpty())
}
