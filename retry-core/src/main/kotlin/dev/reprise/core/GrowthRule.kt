package dev.reprise.core

/** How a send rate is cut by a throttle and how it grows again: the part of adaptive mode that the SDKs call CUBIC. */
internal enum class GrowthRule(val beta: Double, val scale: Double, val minFillRate: Double) {
    /**
     * CUBIC as the AWS SDKs have it: every throttle cuts the rate, and growth is a cubic in attempts a second.
     *
     * `scale` is in attempts a second per cubed second. Equal to botocore's `CubicCalculator`.
     */
    CUBIC(beta = 0.7, scale = 0.4, minFillRate = 0.5),

    /**
     * This library's rule: settles on the server's rate and stays there.
     *
     * A throttle cuts only if its request was sent after the server had accepted one at the new rate: a server that
     * refuses everything for a while gives one signal. The rate returns to the rate that the server was seen to admit,
     * and grows from there in proportion. Failures that are no throttles hold it. After [SendRateSettings.quietSeconds]
     * without a throttle permits are free again. `scale` is in parts of the last top per cubed second.
     */
    STEADY(beta = 0.9, scale = 0.012, minFillRate = 0.1),
    ;

    override fun toString(): String = word
}
