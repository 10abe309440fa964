package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A response and the end of its attempt may cross. The client below has handed the response out then, and does not
 * close its connection; so this one does. What is left unread holds a connection for ever, and from JDK 21 on the close
 * of the client too.
 */
@DisplayName("A response that comes when its call is cancelled is let go")
@Timeout(30)
class AbandonedTest {
    private static final HttpRequest REQUEST =
            HttpRequest.newBuilder(URI.create("http://localhost/")).build();

    @ParameterizedTest
    @CsvSource({"true, 0", "false, 0", "true, 100", "false, 100"})
    @DisplayName("of sendAsync, whichever comes first, looked into or not")
    void asynchronous(boolean isCancelledFirst, int errorBodyBytes) throws Exception {
        HandmadeClient below = new HandmadeClient();
        CompletableFuture<?> call = client(below, errorBodyBytes).sendAsync(REQUEST, BodyHandlers.ofString());
        below.sent.await();

        if (isCancelledFirst) call.cancel(true);
        below.receive();
        if (!isCancelledFirst) call.cancel(true);

        assertTrue(below.isLetGo());
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "false, 0", "true, 100", "false, 100"})
    @DisplayName("of send, whichever comes first, looked into or not")
    void blocking(boolean isCancelledFirst, int errorBodyBytes) throws Exception {
        HandmadeClient below = new HandmadeClient();
        Thread caller = new Thread(() -> {
            try {
                client(below, errorBodyBytes).send(REQUEST, BodyHandlers.ofString());
            } catch (Exception e) {
                // The test looks at the client below.
            }
        });
        caller.start();
        below.sent.await();

        if (isCancelledFirst) end(caller);
        below.receive();
        if (!isCancelledFirst) end(caller);

        assertTrue(below.isLetGo());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    @DisplayName("even if its body has failed before anything of it was read, looked into or not")
    void failed(int errorBodyBytes) throws Exception {
        HandmadeClient below = new HandmadeClient();
        client(below, errorBodyBytes).sendAsync(REQUEST, BodyHandlers.ofString());
        below.sent.await();

        below.receive();
        below.fail();

        assertTrue(below.isLetGo());
    }

    private static void end(Thread caller) throws InterruptedException {
        caller.interrupt();
        caller.join(TimeUnit.SECONDS.toMillis(10));
    }

    private static RetryingHttpClient client(HandmadeClient below, int errorBodyBytes) {
        return RetryingHttpClient.around(below).errorBodyBytes(errorBodyBytes).build();
    }
}
