package dev.reprise.redis

/** A client's report of its quota. Its number lets the server apply it once if it comes more than once. */
internal class Batch(
    private val number: Long,
    private val given: Int,
    private val earned: Int,
    private val spent: Int,
    val wanted: Int,
    private val unit: Int,
) {
    /** This batch once more. It asks for nothing: a client that is back tells what it spent before it leases anew. */
    fun again() = Batch(number, given, earned, spent, wanted = 0, unit)

    /** The script's arguments for [client], which knows [epoch]. */
    fun args(client: String, settings: FleetSettings, epoch: String): List<Any> = listOf(
        client,
        number,
        settings.capacity,
        epoch,
        given,
        earned,
        spent,
        wanted,
        unit,
        settings.lifetime.inWholeMilliseconds,
        maxOf((settings.capacity * BIRTH).toInt(), unit),
        YOUTH_MS,
    )
}

/** The server's statement about the quota. */
internal class Level(
    /** The tokens that the batch was granted. */
    val granted: Int,
    /** The tokens that are left. */
    val tokens: Int,
    val epoch: String,
    /** How many clients were heard of lately. */
    val clients: Int,
) {
    /**
     * The tokens that this client may spend alone. Others lease too: each of them once at most after this was sent, and on
     * average as much as this client, which the share leaves out. What is left over can be leased again later.
     */
    val share: Double get() = tokens.toDouble() / clients - granted

    companion object {
        fun of(reply: List<String>) = Level(
            granted = reply[1].toDouble().toInt(),
            tokens = reply[2].toDouble().toInt(),
            epoch = reply[3],
            clients = maxOf(1, reply[4].toInt()),
        )
    }
}

/**
 * The share of its budget with which a bucket begins that may have been lost, at least one retry: the bound on
 * overspending.
 */
private const val BIRTH = 0.02

/**
 * How long it waits for a client that knows better, in ms: each that has spent anything is heard within that.
 */
private const val YOUTH_MS = 3_000
