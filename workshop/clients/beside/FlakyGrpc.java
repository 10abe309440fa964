import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A gRPC server that fails its first request. */
final class FlakyGrpc implements AutoCloseable {
    private static final MethodDescriptor<String, String> GET = MethodDescriptor.newBuilder(new Text(), new Text())
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("client.Echo/Get")
            .setIdempotent(true)
            .build();

    private final AtomicInteger requests = new AtomicInteger();
    private final Server server;

    FlakyGrpc() throws IOException {
        ServerCallHandler<String, String> handler = (call, headers) -> {
            call.request(1);
            return new ServerCall.Listener<String>() {
                @Override
                public void onMessage(String message) {
                    if (requests.incrementAndGet() == 1) {
                        call.close(Status.UNAVAILABLE, new Metadata());
                        return;
                    }
                    call.sendHeaders(new Metadata());
                    call.sendMessage(message);
                    call.close(Status.OK, new Metadata());
                }
            };
        };
        var service = ServerServiceDefinition.builder("client.Echo").addMethod(GET, handler).build();
        server = ServerBuilder.forPort(0).addService(service).build().start();
    }

    String target() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Makes one call, which has to be retried once. */
    void check(Channel channel) throws Exception {
        Status end = call(channel).get(20, TimeUnit.SECONDS);
        Flaky.check(end.isOk() && requests.get() == 2, end);
    }

    private static CompletableFuture<Status> call(Channel channel) {
        var closed = new CompletableFuture<Status>();
        ClientCall<String, String> call = channel.newCall(GET, CallOptions.DEFAULT);
        var listener = new ClientCall.Listener<String>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
                closed.complete(status);
            }
        };
        call.start(listener, new Metadata());
        call.request(2);
        call.sendMessage("hello");
        call.halfClose();
        return closed;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes());
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
