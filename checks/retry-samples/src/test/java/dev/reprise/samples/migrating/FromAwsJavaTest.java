package dev.reprise.samples.migrating;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.aws.java.RepriseRetryStrategy;
import dev.reprise.presets.Presets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** The same client of the AWS SDK for Java with the SDK's retries and with ours. */
class FromAwsJavaTest {
    /** How a call ended. */
    private record End(int requests, String result) {}

    private static DynamoDbClient before() {
        DynamoDbClient client = DynamoDbClient.builder()
                .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                        .maxAttempts(5)
                        .build()))
                .build();
        return client;
    }

    private static DynamoDbClient after() {
        DynamoDbClient client = DynamoDbClient.builder()
                .addPlugin(RepriseRetryStrategy.builder()
                        .policy(Presets.named("standard-2.1", "dynamodb").toBuilder()
                                .maxAttempts(5)
                                .build())
                        .build()
                        .plugin())
                .build();
        return client;
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                Arguments.of(List.of(200), new End(1, "[orders]")),
                Arguments.of(List.of(500, 503, 200), new End(3, "[orders]")),
                Arguments.of(List.of(500), new End(5, "failed")),
                Arguments.of(List.of(400, 200), new End(1, "failed")));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("calls")
    void bothSendTheSameRequestsAndEndAlike(List<Integer> statuses, End end) throws IOException {
        assertEquals(end, end(statuses, FromAwsJavaTest::before), "before");
        assertEquals(end, end(statuses, FromAwsJavaTest::after), "after");
    }

    private static End end(List<Integer> statuses, Supplier<DynamoDbClient> maker) throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            int request = requests.getAndIncrement();
            exchange.getRequestBody().readAllBytes();
            byte[] body = "{\"TableNames\":[\"orders\"]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(statuses.get(Math.min(request, statuses.size() - 1)), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        Map<String, String> settings = Map.of(
                "aws.accessKeyId", "key",
                "aws.secretAccessKey", "secret",
                "aws.region", "us-east-1",
                "aws.endpointUrl", "http://127.0.0.1:" + server.getAddress().getPort());
        settings.forEach(System::setProperty);
        try (DynamoDbClient client = maker.get()) {
            String result = tell(client);
            return new End(requests.get(), result);
        } finally {
            settings.keySet().forEach(System::clearProperty);
            server.stop(0);
        }
    }

    private static String tell(DynamoDbClient client) {
        try {
            return client.listTables().tableNames().toString();
        } catch (DynamoDbException e) {
            return "failed";
        }
    }
}
