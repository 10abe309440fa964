package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.aws.java.QuotaScope;
import dev.reprise.aws.java.RepriseRetryStrategy;
import dev.reprise.core.LoggingListener;
import dev.reprise.core.RetrierCache;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaRetrier;
import dev.reprise.presets.Presets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The snippets of the guide to the AWS SDK for Java, run against a server that fails. */
class AwsSdkTest {
    private static final AtomicInteger requests = new AtomicInteger();
    private static final Map<String, String> SETTINGS =
            new HashMap<>(Map.of("aws.accessKeyId", "key", "aws.secretAccessKey", "secret", "aws.region", "us-east-1"));
    private static HttpServer server;

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        server.start();
        SETTINGS.put(
                "aws.endpointUrl", "http://127.0.0.1:" + server.getAddress().getPort());
        SETTINGS.forEach(System::setProperty);
    }

    @AfterAll
    static void stop() {
        server.stop(0);
        SETTINGS.keySet().forEach(System::clearProperty);
    }

    private static int attemptsOf(DynamoDbClient client) {
        int before = requests.get();
        DynamoDbException failure = assertThrows(DynamoDbException.class, client::listTables);
        client.close();
        assertEquals(
                1,
                List.of(failure.getSuppressed()).stream()
                        .filter(RetryTrace.class::isInstance)
                        .count());
        return requests.get() - before;
    }

    @Test
    void aClientWithThePluginMakesTheAttemptsOfItsService() {
        DynamoDbClient client = DynamoDbClient.builder()
                .addPlugin(RepriseRetryStrategy.standard().plugin())
                .build();
        assertEquals(4, attemptsOf(client));
    }

    @Test
    void aStrategyAloneWillDo() {
        S3Client client = S3Client.builder()
                .overrideConfiguration(o -> o.retryStrategy(RepriseRetryStrategy.standard()))
                .build();
        assertThrows(S3Exception.class, client::listBuckets);
        client.close();
    }

    @Test
    void clientsShareAQuota() {
        RepriseRetryStrategy strategy = RepriseRetryStrategy.standard();
        DynamoDbClient table =
                DynamoDbClient.builder().addPlugin(strategy.plugin()).build();
        S3Client bucket = S3Client.builder().addPlugin(strategy.plugin()).build();
        assertEquals(4, attemptsOf(table));
        assertEquals(458, strategy.retrier().retrier().getQuota().getAvailable());
        bucket.close();
    }

    @Test
    void tablesHaveQuotasOfTheirOwn() {
        RetryPolicy policy = Presets.named("adaptive-steady", "dynamodb");
        RetrierCache<String, JavaRetrier> tables = new RetrierCache<>(100, name -> JavaRetrier.of(policy));
        RepriseRetryStrategy byTable = RepriseRetryStrategy.builder()
                .policy(policy)
                .scopes(tables, QuotaScope.byField("TableName"))
                .build();
        // The quota of a client that has just begun pays for two retries.
        assertEquals(
                3,
                attemptsOf(DynamoDbClient.builder().addPlugin(byTable.plugin()).build()));
    }

    @Test
    void thePolicyIsReplacedWhileTheClientLives() {
        RepriseRetryStrategy watched = RepriseRetryStrategy.builder()
                .preset("standard-2.1")
                .listener(new LoggingListener())
                .build();
        watched.update(RetryPolicy.NONE);
        assertEquals(
                1,
                attemptsOf(DynamoDbClient.builder().addPlugin(watched.plugin()).build()));
    }
}
