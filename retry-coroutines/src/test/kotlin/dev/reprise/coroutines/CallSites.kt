package dev.reprise.coroutines

import dev.reprise.core.Attempt

/** What a function with one call costs in bytecode, and one with twenty. Never run; [CallSiteTest] counts them. */
internal object CallSites {
    suspend fun byHand(hand: Hand) {
        val answer = hand { fetch(1) }
        println(answer)
    }

    suspend fun ours(retrier: Retrier) {
        val answer = retrier { fetch(1) }
        println(answer)
    }

    suspend fun twenty(retrier: Retrier) {
        println(retrier { fetch(1) })
        println(retrier { fetch(2) })
        println(retrier { fetch(3) })
        println(retrier { fetch(4) })
        println(retrier { fetch(5) })
        println(retrier { fetch(6) })
        println(retrier { fetch(7) })
        println(retrier { fetch(8) })
        println(retrier { fetch(9) })
        println(retrier { fetch(10) })
        println(retrier { fetch(11) })
        println(retrier { fetch(12) })
        println(retrier { fetch(13) })
        println(retrier { fetch(14) })
        println(retrier { fetch(15) })
        println(retrier { fetch(16) })
        println(retrier { fetch(17) })
        println(retrier { fetch(18) })
        println(retrier { fetch(19) })
        println(retrier { fetch(20) })
    }

    /** A suspend function that takes a block, as anyone would write it. */
    class Hand {
        suspend operator fun <T> invoke(block: suspend (Attempt?) -> T): T = block(null)
    }

    private suspend fun fetch(id: Int): String = kotlinx.coroutines.yield().let { "user $id" }
}
