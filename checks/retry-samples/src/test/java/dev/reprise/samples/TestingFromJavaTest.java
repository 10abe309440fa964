package dev.reprise.samples;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.StopReason;
import dev.reprise.java.JavaRetrier;
import dev.reprise.test.Recorder;
import dev.reprise.test.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The Java snippets of the testing guide, run. */
class TestingFromJavaTest {
    private record People(JavaRetrier retrier, Callable<String> fetch) {
        String find(String id) throws Exception {
            return retrier.call(fetch::call) + " " + id;
        }
    }

    private record LaterPeople(JavaRetrier retrier, Supplier<CompletableFuture<String>> fetch) {
        CompletableFuture<String> find(String id) {
            return retrier.callAsync(fetch::get).thenApply(user -> user + " " + id);
        }
    }

    @Test
    void aBlockingService() throws Exception {
        VirtualTime time = new VirtualTime();
        Recorder recorder = new Recorder();
        int[] calls = {0};
        People people = new People(time.javaRetrier(RetryPolicy.STANDARD, recorder), () -> {
            if (++calls[0] < 3) throw new ConnectException("refused");
            return "user";
        });

        assertEquals("user 7", people.find("7"));

        recorder.getCall().assertAttempts(3).assertReason(StopReason.SUCCESS);
        assertEquals(150_000_000, time.nanoTime());
    }

    @Test
    void aServiceThatReturnsFutures() throws Exception {
        VirtualTime time = new VirtualTime();
        Recorder recorder = new Recorder();
        int[] calls = {0};
        LaterPeople people = new LaterPeople(
                time.javaRetrier(RetryPolicy.STANDARD, recorder),
                () -> ++calls[0] < 3 ? failedFuture(new ConnectException("refused")) : completedFuture("user"));

        assertEquals("user 7", time.join(people.find("7")));

        recorder.getCall().assertDelays(Duration.ofMillis(50), Duration.ofMillis(100));
        assertEquals(0, time.getPending());
    }
}
