package dev.reprise.aws.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetrierCache;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaRetrier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

class JavaCallerTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.builder().maxAttempts(2).backoff(Backoff.IMMEDIATE).build();

    @Test
    void javaCallersHaveAStrategyAPluginAndATrace() {
        List<String> events = new ArrayList<>();
        RetrierCache<String, JavaRetrier> tables = new RetrierCache<>(100, table -> JavaRetrier.of(POLICY));
        RepriseRetryStrategy strategy = RepriseRetryStrategy.builder()
                .policy(POLICY)
                .listener(event -> events.add(event.getClass().getSimpleName()))
                .scopes(tables, QuotaScope.byField("TableName"))
                .build();
        try (ScriptedServer server = new ScriptedServer(Protocol.JSON, new Reply(500, null, Map.of()));
                DynamoDbClient client = client(server)
                        .addPlugin(strategy.plugin())
                        .overrideConfiguration(o -> o.retryStrategy(RepriseRetryStrategy.standard()))
                        .build()) {
            DynamoDbException failure = assertThrows(DynamoDbException.class, client::listTables);
            RetryTrace trace = Stream.of(failure.getSuppressed())
                    .filter(RetryTrace.class::isInstance)
                    .map(RetryTrace.class::cast)
                    .findFirst()
                    .orElseThrow();
            assertEquals(2, trace.getAttempts());
            assertEquals(2, server.getSeen().size());
            assertEquals(486, strategy.retrier().retrier().getQuota().getAvailable());
            assertEquals("CallGaveUp", events.get(events.size() - 1));
        }
    }

    @Test
    void theSdksOwnBuilderWorksOnAStrategy() {
        var strategy = (RepriseRetryStrategy)
                RepriseRetryStrategy.standard().toBuilder().maxAttempts(5).build();
        assertEquals(5, strategy.maxAttempts());
        strategy.update(POLICY);
        assertEquals(2, strategy.policy().getMaxAttempts());
        assertEquals(2, strategy.retrier().policy().getMaxAttempts());
    }

    private static DynamoDbClientBuilder client(ScriptedServer server) {
        return DynamoDbClient.builder()
                .endpointOverride(server.getUrl())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
                .httpClient(UrlConnectionHttpClient.create());
    }
}
