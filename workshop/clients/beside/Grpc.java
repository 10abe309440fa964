import dev.reprise.core.RetryPolicy;
import dev.reprise.grpc.RetryClientInterceptor;
import dev.reprise.java.JavaRetrier;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;

/** A channel with the interceptor. */
final class Grpc {
    public static void main(String[] arguments) throws Exception {
        try (FlakyGrpc server = new FlakyGrpc()) {
            ManagedChannel channel = ManagedChannelBuilder.forTarget(server.target())
                    .usePlaintext()
                    .maxRetryAttempts(0)
                    .intercept(new RetryClientInterceptor(JavaRetrier.of(RetryPolicy.STANDARD)))
                    .build();
            server.check(channel);
            channel.shutdownNow();
        }
    }
}
