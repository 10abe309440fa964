package dev.reprise.core

/** Why a slow attempt got no copy. */
public enum class HedgeRefusal {
    /** The copies that the policy allows are used up. */
    BUDGET,

    /** The retry quota is less than half full, or cannot pay the price of a retry. */
    QUOTA,

    /** There is no send permit at once. */
    SEND_RATE,

    /** The server throttled a call of this retrier, or asked for a delay, which is not over. */
    SERVER_BUSY,
}
