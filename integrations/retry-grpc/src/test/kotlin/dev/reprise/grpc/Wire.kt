package dev.reprise.grpc

import io.grpc.ClientInterceptor
import io.grpc.ManagedChannel
import io.grpc.ManagedChannelBuilder
import io.grpc.Server
import io.grpc.ServerBuilder
import io.grpc.inprocess.InProcessChannelBuilder
import io.grpc.inprocess.InProcessServerBuilder
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.TimeUnit

/** The two ways to a server that the tests take. */
internal enum class Wire {
    IN_PROCESS {
        override fun server(): ServerBuilder<*> = InProcessServerBuilder.forName(InProcessServerBuilder.generateName())

        override fun channel(server: Server): ManagedChannelBuilder<*> =
            InProcessChannelBuilder.forAddress(server.listenSockets.first())
    },
    NETTY {
        override fun server(): ServerBuilder<*> =
            NettyServerBuilder.forAddress(InetSocketAddress(InetAddress.getLoopbackAddress(), 0))

        override fun channel(server: Server): ManagedChannelBuilder<*> = NettyChannelBuilder.forAddress(
            InetSocketAddress(InetAddress.getLoopbackAddress(), server.port),
        ).usePlaintext()
    }, ;

    abstract fun server(): ServerBuilder<*>

    abstract fun channel(server: Server): ManagedChannelBuilder<*>
}

/** A server and a channel to it, with [interceptors]. */
internal class Link(
    wire: Wire,
    scripted: ScriptedServer,
    vararg interceptors: ClientInterceptor,
    onServer: ServerBuilder<*>.() -> Unit = {},
    onChannel: ManagedChannelBuilder<*>.() -> Unit = {},
) : AutoCloseable {
    val server: Server = wire.server().addService(scripted.service()).apply(onServer).build().start()
    val channel: ManagedChannel =
        wire.channel(server).maxRetryAttempts(0).intercept(*interceptors).apply(onChannel).build()

    override fun close() {
        channel.shutdownNow()
        server.shutdownNow()
        check(channel.awaitTermination(10, TimeUnit.SECONDS)) { "the channel did not end" }
        check(server.awaitTermination(10, TimeUnit.SECONDS)) { "the server did not end" }
    }
}
