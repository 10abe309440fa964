package dev.reprise.core

/** Why a slow attempt got no copy. */
public enum class HedgeRefusal(
    /** The word in logs and metrics. */
    internal val word: String,
) {
    /** The copies that the policy allows are used up. */
    BUDGET("budget"),

    /** The retry quota is less than half full, or cannot pay the price of a retry. */
    QUOTA("quota"),

    /** There is no send permit at once. */
    SEND_RATE("send-rate"),

    /** The server throttled a call of this retrier, or asked for a delay, which is not over. */
    SERVER_BUSY("server-busy"),
}
