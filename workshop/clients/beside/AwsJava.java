import dev.reprise.aws.java.RepriseRetryStrategy;
import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Clients of the AWS SDK for Java, synchronous and asynchronous. */
final class AwsJava {
    public static void main(String[] arguments) throws Exception {
        var credentials = StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "secret"));
        var plugin = RepriseRetryStrategy.standard().plugin();
        try (Flaky server = new Flaky();
                DynamoDbClient client = DynamoDbClient.builder().region(Region.US_EAST_1)
                        .endpointOverride(URI.create(server.url())).credentialsProvider(credentials)
                        .addPlugin(plugin).build();
                DynamoDbAsyncClient asynchronous = DynamoDbAsyncClient.builder().region(Region.US_EAST_1)
                        .endpointOverride(URI.create(server.url())).credentialsProvider(credentials)
                        .addPlugin(plugin).build()) {
            client.listTables();
            asynchronous.listTables().get();
            Flaky.check(server.requests() == 4, server.requests());
        }
    }
}
