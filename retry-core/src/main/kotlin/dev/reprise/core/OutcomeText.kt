package dev.reprise.core

import dev.reprise.core.shell.text.oneLine

/** An attempt's outcome as text: an exception, or a result that was not accepted. */
internal fun outcomeText(outcome: Any?): String = when (outcome) {
    is Throwable -> oneLine(outcome)
    is HttpOutcome -> oneLine(HttpText(outcome))
    else -> "result " + oneLine(outcome)
}

/** A response in a few words, independent of its class's `toString`. */
private class HttpText(private val http: HttpOutcome) {
    override fun toString(): String = "status ${http.status}" + http.errorCode?.let { " $it" }.orEmpty()
}
