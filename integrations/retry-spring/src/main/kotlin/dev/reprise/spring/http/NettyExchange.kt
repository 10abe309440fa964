package dev.reprise.spring.http

import reactor.netty.Connection

/**
 * Ends an exchange of Reactor Netty. Spring does not: it forgets a response that comes while the attempt is being cut off, or reads
 * its body to the end, which may never come.
 */
internal object NettyExchange {
    /** Has [wire] end [exchange] when it is cut. */
    fun cutBy(wire: Wire, exchange: Any) {
        if (exchange is Connection) wire.onCut { end(exchange) }
    }

    private fun end(exchange: Connection) {
        val over = exchange.onTerminate().toFuture()
        if (over.isDone) return
        // An exchange that ends now must not leave its connection to the next, which would be closed with it.
        exchange.markPersistent(false)
        if (!over.isDone) exchange.dispose()
    }
}
