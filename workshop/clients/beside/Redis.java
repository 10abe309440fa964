import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.redis.RedisQuota;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A quota over a Redis that is not there: the calls do not notice. */
final class Redis {
    public static void main(String[] arguments) throws Exception {
        RedisClient client = RedisClient.create("redis://127.0.0.1:1");
        RedisQuota quota = RedisQuota.of(client, "orders");
        var retrier = JavaRetrier.builder().policy(RetryPolicy.STANDARD).quota(quota).build();
        var attempts = new AtomicInteger();
        String end = retrier.call(() -> {
            if (attempts.incrementAndGet() == 1) throw new IOException("once");
            return "done";
        });
        Flaky.check(end.equals("done") && attempts.get() == 2, end);
        quota.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
