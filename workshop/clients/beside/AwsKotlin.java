import aws.sdk.kotlin.runtime.auth.credentials.StaticCredentialsProvider;
import aws.sdk.kotlin.services.dynamodb.DynamoDbClient;
import aws.sdk.kotlin.services.dynamodb.model.ListTablesRequest;
import aws.smithy.kotlin.runtime.auth.awscredentials.Credentials;
import aws.smithy.kotlin.runtime.net.url.Url;
import aws.smithy.kotlin.runtime.net.url.UrlEncoding;
import dev.reprise.aws.kotlin.RepriseRetryStrategy;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.TimeoutKt;

/** A client of the AWS SDK for Kotlin. */
final class AwsKotlin {
    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky();
                DynamoDbClient client = DynamoDbClient.Companion.invoke(config -> {
                    config.setRegion("us-east-1");
                    config.setEndpointUrl(Url.Companion.parse(server.url(), UrlEncoding.Companion.getAll()));
                    config.setCredentialsProvider(new StaticCredentialsProvider(
                            Credentials.Companion.invoke("key", "secret", null, null, null, null)));
                    config.setRetryStrategy(RepriseRetryStrategy.Companion.named("standard-2.1", "dynamodb"));
                    return Unit.INSTANCE;
                })) {
            ListTablesRequest request = ListTablesRequest.Companion.invoke(builder -> Unit.INSTANCE);
            // A client that is mixed of two versions hangs.
            BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, next) ->
                    TimeoutKt.withTimeout(20_000, (inner, last) -> client.listTables(request, last), next));
            Flaky.check(server.requests() == 2, server.requests());
        }
    }
}
