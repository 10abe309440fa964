package dev.reprise.redis

/** What a client tells of its quota. It has a number, so that the server does it once however often it comes. */
internal class Batch(val number: Long, val given: Int, val earned: Int, val spent: Int, val wanted: Int, val unit: Int)

/** What the server says of the quota. */
internal class Level(
    /** What the batch was granted. */
    val granted: Int,
    /** The tokens that are left. */
    val tokens: Int,
    val epoch: String,
    /** How many clients were heard of lately. */
    val clients: Int,
) {
    companion object {
        fun of(reply: List<String>) = Level(
            granted = reply[1].toDouble().toInt(),
            tokens = reply[2].toDouble().toInt(),
            epoch = reply[3],
            clients = reply[4].toInt(),
        )
    }
}
