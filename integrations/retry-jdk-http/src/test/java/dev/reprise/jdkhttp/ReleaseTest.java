package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.endless;
import static dev.reprise.faults.Replies.stall;
import static dev.reprise.faults.Replies.stallAfter;
import static dev.reprise.faults.Replies.status;
import static dev.reprise.faults.Replies.statusAndClose;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Between two attempts, and after the last one, no operation of the client below is left open, whatever the rejected
 * response was: its connection waits for the next request or is closed. From JDK 21 on the close of that client waits
 * for every operation, so that one which is left unread would hold it up for ever.
 */
@DisplayName("A rejected response")
@Timeout(60)
class ReleaseTest {
    private enum Rejected {
        SHORT(status(503, "busy")),
        EMPTY(status(503, "")),
        CLOSING(statusAndClose(503, "busy")),
        LONG(status(503, "x".repeat(200_000))),
        ENDLESS(endless(503)),
        STALLED(stallAfter(503, "begin")),
        MISSING(stall());

        private final Reply reply;

        Rejected(Reply reply) {
            this.reply = reply;
        }

        /** Whether its connection can be used again. */
        boolean isKept() {
            return this == SHORT || this == EMPTY;
        }
    }

    private enum End {
        /** The retrying client is closed in the wait. */
        CLOSE,
        /** The caller gives up in the wait: cancels the future, or interrupts the thread. */
        CANCEL
    }

    @TestFactory
    List<DynamicTest> isLetGoBeforeTheWait() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Face face : Face.values())
            for (int errorBodyBytes : new int[] {0, 100})
                for (Rejected rejected : Rejected.values())
                    for (End end : End.values()) {
                        String title = "with a body that is " + rejected + " is let go before the wait: " + face + ", "
                                + end + ", " + errorBodyBytes + " bytes looked at";
                        tests.add(DynamicTest.dynamicTest(title, () -> check(face, rejected, end, errorBodyBytes)));
                    }
        return tests;
    }

    /** Once more, twice at most, if the connection was not free yet: a busy machine may take its time. */
    private static void check(Face face, Rejected rejected, End end, int errorBodyBytes) throws Exception {
        for (int i = 0; i < 2; i++) if (isLetGo(face, rejected, end, errorBodyBytes)) return;
        assertTrue(isLetGo(face, rejected, end, errorBodyBytes), "the connection is neither closed nor free");
    }

    private static boolean isLetGo(Face face, Rejected rejected, End end, int errorBodyBytes) throws Exception {
        HttpClient below =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        CountDownLatch waiting = new CountDownLatch(1);
        RetryPolicy slow = RetryPolicy.HTTP.toBuilder()
                .backoff(Backoff.fixed(Duration.ofHours(1)))
                .attemptTimeout(Duration.ofMillis(200))
                .build();
        RetryingHttpClient client = RetryingHttpClient.around(below)
                .policy(slow)
                .errorBodyBytes(errorBodyBytes)
                .listener((RetryListener) event -> {
                    if (event instanceof RetryEvent.RetryScheduled) waiting.countDown();
                })
                .build();
        try (FaultServer server = new FaultServer(rejected.reply, status(200, "there"))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            Call call = new Call(face, client, request);
            assertTrue(waiting.await(30, TimeUnit.SECONDS), "not rejected");

            if (end == End.CLOSE) client.close();
            else call.cancel();
            call.awaitEnd();

            assertTrue(closes(below), "an operation of the client below has no end");
            return isFreeOrClosed(server, below, rejected.isKept());
        }
    }

    /** Whether {@code below} can be closed, where it can be closed at all. */
    private static boolean closes(HttpClient below) throws Exception {
        if (!(below instanceof AutoCloseable closeable)) return true;
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            try {
                closeable.close();
                closed.complete(null);
            } catch (Exception e) {
                closed.completeExceptionally(e);
            }
        });
        closing.setDaemon(true);
        closing.start();
        try {
            closed.get(30, TimeUnit.SECONDS);
            return true;
        } catch (java.util.concurrent.TimeoutException e) {
            return false;
        }
    }

    /**
     * Whether the call's one connection is closed, or free for {@code below}: also where the rest of its body had come.
     */
    private static boolean isFreeOrClosed(FaultServer server, HttpClient below, boolean isKept) throws Exception {
        boolean isClosed = below instanceof AutoCloseable;
        // A socket that the other side closes is seen when it is read: five seconds at most.
        for (int i = 0; i < 250 && (isClosed || !isKept) && server.openConnections() > 0; i++)
            TimeUnit.MILLISECONDS.sleep(20);
        if (isClosed || (!isKept && server.openConnections() == 0)) return server.openConnections() == 0;
        // The JDK gives a connection back to its pool on a thread of its own, without an event that says so.
        TimeUnit.MILLISECONDS.sleep(50);
        below.send(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.discarding());
        return server.connections() == 1;
    }

    /** One call, on a thread of its own if it blocks. */
    private static final class Call {
        private final CompletableFuture<?> future;
        private final Thread thread;

        Call(Face face, HttpClient client, HttpRequest request) {
            if (face == Face.ASYNC) {
                future = client.sendAsync(request, BodyHandlers.ofString());
                thread = null;
                return;
            }
            CompletableFuture<Object> ended = new CompletableFuture<>();
            future = ended;
            thread = new Thread(() -> {
                try {
                    ended.complete(client.send(request, BodyHandlers.ofString()));
                } catch (Throwable e) {
                    ended.completeExceptionally(e);
                }
            });
            thread.start();
        }

        void cancel() {
            if (thread == null) future.cancel(true);
            else thread.interrupt();
        }

        void awaitEnd() throws Exception {
            future.handle((value, failure) -> null).get(30, TimeUnit.SECONDS);
        }
    }
}
