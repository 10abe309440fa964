package dev.reprise.interop;

import dev.reprise.core.RetryPolicy;
import dev.reprise.grpc.RetryClientInterceptor;
import dev.reprise.java.JavaRetrier;
import io.grpc.ClientInterceptor;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** gRPC's own interop cases over Netty, each call through the interceptor. JUnit 4: run by {@link InteropTest}. */
public class InteropCases extends AbstractInteropTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.builder().attemptTimeout(Duration.ofHours(3)).build();

    private final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());

    /** Below the ports that systems give to connections: one of those would take it before the server does. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Another program has this port: try the next.
            }
        }
    }

    @Override
    protected ServerBuilder<?> getServerBuilder() {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
                .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE);
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        return builder;
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address)
                .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE)
                .usePlaintext()
                .maxRetryAttempts(0);
        InternalNettyChannelBuilder.setStatsEnabled(builder, false);
        return builder.intercept(createCensusStatsClientInterceptor());
    }

    @Override
    protected ClientInterceptor[] getAdditionalInterceptors() {
        return new ClientInterceptor[] {new RetryClientInterceptor(JavaRetrier.of(POLICY)).idempotent(method -> true)};
    }

    /** The cases' own metrics need a server of the same version as they are. */
    @Override
    protected boolean metricsExpected() {
        return false;
    }
}
