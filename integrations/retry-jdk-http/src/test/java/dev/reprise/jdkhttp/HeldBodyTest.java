package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeldBodyTest {
    private static final ResponseInfo INFO = new ResponseInfo() {
        @Override
        public int statusCode() {
            return 503;
        }

        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(Map.of(), (name, value) -> true);
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }
    };

    /** Delivers what has come of a body within {@code request}, and the rest when it comes. */
    private static final class Eager implements Flow.Subscription {
        private final HeldBody<?> body;
        private final ArrayDeque<String> parts;
        private int come;
        private long wanted;

        Eager(HeldBody<?> body, int come, String... parts) {
            this.body = body;
            this.come = come;
            this.parts = new ArrayDeque<>(List.of(parts));
        }

        @Override
        public void request(long count) {
            wanted = wanted + count < 0 ? Long.MAX_VALUE : wanted + count;
            while (come > 0 && wanted > 0 && !parts.isEmpty()) {
                come--;
                wanted--;
                body.onNext(List.of(ByteBuffer.wrap(parts.poll().getBytes())));
            }
            if (come > 0 && parts.isEmpty()) {
                come = 0;
                body.onComplete();
            }
        }

        void comes() {
            come = Integer.MAX_VALUE;
            request(0);
        }

        @Override
        public void cancel() {
            parts.clear();
        }
    }

    private static HeldBody<byte[]> held(int peekBytes) {
        return new HeldBody<>(INFO, BodyHandlers.ofByteArray(), peekBytes);
    }

    private static String text(CompletableFuture<byte[]> body) throws Exception {
        return new String(body.get(30, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "4, 2", "4, 3", "1, 9", "100, 9"})
    void aBodyIsDeliveredWholeHoweverMuchOfItComesWithinItsFirstRequest(int peekBytes, int come) throws Exception {
        HeldBody<byte[]> body = held(peekBytes);
        CompletableFuture<byte[]> delivered = new CompletableFuture<>();
        body.getBody().thenRun(() -> body.deliver().thenAccept(delivered::complete));

        Eager source = new Eager(body, come, "one", "two", "three");
        body.onSubscribe(source);
        source.comes();

        assertEquals("onetwothree", text(delivered));
    }

    @Test
    void aHandlerThatIsThereFirstIsSubscribedBeforeTheBodyEnds() {
        List<String> told = new ArrayList<>();
        HeldBody<Void> body = new HeldBody<>(INFO, info -> telling(told), 3);
        body.deliver();

        body.onSubscribe(new Eager(body, 1));

        assertEquals(List.of("subscribed", "completed"), told);
    }

    private static BodySubscriber<Void> telling(List<String> told) {
        return BodySubscribers.fromSubscriber(new Flow.Subscriber<List<ByteBuffer>>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                told.add("subscribed");
            }

            @Override
            public void onNext(List<ByteBuffer> item) {
                told.add("item");
            }

            @Override
            public void onError(Throwable failure) {
                told.add("failed");
            }

            @Override
            public void onComplete() {
                told.add("completed");
            }
        });
    }
}
