package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Repeat;
import dev.reprise.core.RetryPolicy;
import dev.reprise.grpc.GrpcCallOptions;
import dev.reprise.grpc.RetryClientInterceptor;
import dev.reprise.java.JavaRetrier;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import org.junit.jupiter.api.Test;

/** The Java snippet of the gRPC guide, run. */
class GrpcFromJavaTest {
    @Test
    void theInterceptor() {
        String target = "localhost:1";

        JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);
        RetryClientInterceptor interceptor = new RetryClientInterceptor(retrier)
                .idempotent(method -> method.getBareMethodName().startsWith("Get"));
        ManagedChannel channel = ManagedChannelBuilder.forTarget(target)
                .usePlaintext()
                .maxRetryAttempts(0)
                .intercept(interceptor)
                .build();
        CallOptions options = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT);

        assertEquals(Repeat.SAFE, options.getOption(GrpcCallOptions.KEY).getRepeat());
        assertTrue(channel.shutdownNow().isShutdown());
    }
}
