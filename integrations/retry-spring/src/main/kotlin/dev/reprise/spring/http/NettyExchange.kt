package dev.reprise.spring.http

import reactor.netty.Connection

/**
 * An exchange of Reactor Netty. Spring forgets its response if it comes in the moment in which the attempt is cut off, or reads it
 * to its end, which may never come.
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
