package dev.reprise.lab.experiment

/** The policies that an experiment tries where none are given: those that show most, by label. */
internal object StandardPolicies {
    /** With and without quota, jitter and deadline. */
    val OUTAGE: Map<String, String> =
        mapOf(
            "no retries" to """{"preset":"standard-2.1","maxAttempts":1}""",
            "standard-2.1" to "standard-2.1",
            "without quota" to """{"preset":"standard-2.1","quota":null}""",
            "without quota or jitter" to """{"preset":"standard-2.1","quota":null,"backoff":{"jitter":"none"}}""",
            "10 fixed, no quota" to tenFixed(""),
            "10 fixed, deadline 0.4 s" to tenFixed(""","deadline":"400ms""""),
        )

    /** With and without a limiter. */
    val THROTTLE: Map<String, String> =
        listOf("standard-2.1", "adaptive-2.1", "adaptive-steady").associateWith { it }

    /** The blog's five (base 5 ms, cap 2 s, the exponent of the first retry 1), and the SDKs'. */
    val OCC: Map<String, String> =
        mapOf(
            "none" to """{"backoff":{"type":"fixed","delay":"0ms"}}""",
            "exponential" to blog("none"),
            "decorrelated" to """{"backoff":{"type":"decorrelated","base":"5ms","cap":"2s"}}""",
            "equal" to blog("equal"),
            "full" to blog("full"),
            "standard-2.1" to "standard-2.1",
        )

    private fun tenFixed(rest: String) =
        """{"preset":"standard-2.1","quota":null,"maxAttempts":10,"backoff":{"type":"fixed","delay":"100ms"}$rest}"""

    private fun blog(jitter: String) =
        """{"backoff":{"type":"exponential","base":"5ms","cap":"2s","firstExponent":1,"jitter":"$jitter"}}"""
}
