package dev.reprise.lab.calls

/** The marks that layers of retries send each other. */
internal enum class Travels(val words: String) {
    /** Each layer retries as if it were the only one. */
    NOTHING("nothing travels"),

    /** Requests carry the number of their attempt: calls made for a retry make one attempt. */
    NUMBERS("numbers travel"),

    /** Numbers, and answers that say whether they were retried: `x-should-retry: false`. */
    MARKS("marks travel"),
}
