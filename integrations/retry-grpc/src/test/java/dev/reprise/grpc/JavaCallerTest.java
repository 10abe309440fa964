package dev.reprise.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaRetrier;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class JavaCallerTest {
    private static final MethodDescriptor<String, String> METHOD = MethodDescriptor.newBuilder(
                    Methods.Text.INSTANCE, Methods.Text.INSTANCE)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("test.Java/Commit")
            .build();

    private final AtomicInteger requests = new AtomicInteger();

    private ServerServiceDefinition aborting() {
        return ServerServiceDefinition.builder("test.Java")
                .addMethod(METHOD, (call, headers) -> {
                    requests.incrementAndGet();
                    call.close(Status.ABORTED, new Metadata());
                    return new ServerCall.Listener<>() {};
                })
                .build();
    }

    @Test
    void everyPartIsUsableFromJava() throws Exception {
        RetryPolicy policy = RetryPolicy.builder()
                .backoff(Backoff.IMMEDIATE)
                .classifier(
                        Classifier.firstOf(GrpcErrors.on(Status.Code.ABORTED), RetryPolicy.STANDARD.getClassifier()))
                .build();
        String name = InProcessServerBuilder.generateName();
        Server server = InProcessServerBuilder.forName(name)
                .intercept(new RetryServerInterceptor())
                .addService(aborting())
                .build()
                .start();
        RetryClientInterceptor interceptor = new RetryClientInterceptor(JavaRetrier.of(policy));
        ManagedChannel channel =
                InProcessChannelBuilder.forName(name).intercept(interceptor).build();
        CallOptions idempotent = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT);

        StatusRuntimeException thrown = assertThrows(
                StatusRuntimeException.class, () -> ClientCalls.blockingUnaryCall(channel, METHOD, idempotent, "x"));

        assertSame(Status.Code.ABORTED, thrown.getStatus().getCode());
        assertEquals(3, RetryTrace.of(thrown).getAttempts());
        assertEquals(3, requests.get());
        channel.shutdownNow();
        server.shutdownNow();
    }

    @Test
    void aPolicyIsExported() {
        GrpcServiceConfig exported = GrpcServiceConfigs.of(RetryPolicy.STANDARD, "shop.Orders");

        assertTrue(exported.getConfig().containsKey("methodConfig"));
        assertEquals(exported, GrpcServiceConfigs.of(RetryPolicy.STANDARD, "shop.Orders"));
    }
}
