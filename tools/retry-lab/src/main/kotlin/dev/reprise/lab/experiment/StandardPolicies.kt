package dev.reprise.lab.experiment

/** The policies that an experiment tries where none are given: those that show most, by label. */
internal object StandardPolicies {
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

    private fun blog(jitter: String) =
        """{"backoff":{"type":"exponential","base":"5ms","cap":"2s","firstExponent":1,"jitter":"$jitter"}}"""
}
