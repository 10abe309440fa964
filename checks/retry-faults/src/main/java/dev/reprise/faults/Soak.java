package dev.reprise.faults;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Makes many calls to a server that fails one time in three, and counts: a client loses nothing, doubles nothing and
 * leaks nothing.
 *
 * <p>A leak grows with the number of calls. So the calls are made in two halves, and only the growth in the second half
 * counts: pools, caches and classes are there after the first.
 */
public final class Soak {
    private static final int CALLS_AT_ONCE = 8;

    /** Few in every build; {@code .ci/nightly} makes 100,000, and a release 1,000,000 through each kind of client. */
    private static final int CALLS = Integer.getInteger("soak.calls", 150);

    /** The heap after a collection differs from one time to the next. */
    private static final long HEAP_NOISE_BYTES = 2 << 20;

    /** Two references and a header: less than the smallest thing that a client could keep of a call. */
    private static final long HEAP_BYTES_A_CALL = 24;

    /** A client with retries. */
    public interface Client {
        /** Sends a request; returns the response's body if its status is 200, else null. Called by many threads. */
        String send(Kind kind, URI uri) throws Exception;
    }

    /**
     * The figures of a soak: {@code calls} ended, {@code good} of them with a 200. The figures named {@code more} are
     * the growth of threads, descriptors and heap from the first half of the calls to the second.
     */
    public record Figures(
            int calls,
            int good,
            int failed,
            int mixedUp,
            int requests,
            int doubled,
            int connections,
            int openConnections,
            int moreThreads,
            long moreDescriptors,
            long moreHeapBytes) {

        /** Checks all figures; the client's pool may keep {@code openConnections}. Fails with the figures. */
        public void check(int openConnections) {
            List<String> breaches = new ArrayList<>();
            if (good + failed != calls) breaches.add("calls were lost");
            // Two of three first attempts are served, and more than that with retries.
            if (good < calls * 6 / 10) breaches.add("too few calls were served");
            if (mixedUp > 0) breaches.add("responses were mixed up");
            if (doubled > 0) breaches.add("unsafe requests were sent twice");
            if (this.openConnections > openConnections) breaches.add("connections leak");
            if (moreThreads > 2 * CALLS_AT_ONCE) breaches.add("threads leak");
            // Pools may be empty at one time and full at the other; both ends of a connection are in this process.
            if (moreDescriptors > 4L * CALLS_AT_ONCE) breaches.add("descriptors leak");
            if (moreHeapBytes > HEAP_NOISE_BYTES + HEAP_BYTES_A_CALL * calls / 2) breaches.add("heap leaks");
            if (!breaches.isEmpty()) throw new AssertionError(String.join(", ", breaches) + ": " + this);
        }
    }

    private final AtomicInteger good = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger mixedUp = new AtomicInteger();
    private final AtomicInteger doubled = new AtomicInteger();
    private final Map<String, AtomicInteger> unsafe = new ConcurrentHashMap<>();
    private final Random random = new Random(1);
    private final Client client;
    private final UnaryOperator<String> textOf;

    private Soak(Client client, UnaryOperator<String> textOf) {
        this.client = client;
        this.textOf = textOf;
    }

    /** Makes {@code -Dsoak.calls} calls of {@code client}, a hundred and fifty by default. */
    public static Figures run(Client client) throws InterruptedException {
        return new Soak(client, Soak::text)
                .run(CALLS, soak -> FaultServer.forMany((number, request) -> soak.reply(request)));
    }

    /**
     * {@link #run(Client)} with a server of its own, which asks {@link #fault} about each request. A good answer is the
     * request's path.
     */
    public static Figures run(Function<Soak, SoakServer> start, Client client) throws InterruptedException {
        return new Soak(client, path -> path).run(CALLS, start);
    }

    /** The body of a good response to a request for {@code path}: one in eight is larger than a client's buffers. */
    private static String text(String path) {
        return path.repeat(path.hashCode() % 8 == 0 ? 4_000 : 1);
    }

    private Figures run(int calls, Function<Soak, SoakServer> start) throws InterruptedException {
        try (SoakServer server = start.apply(this)) {
            make(server, 0, calls / 2);
            settled(server);
            Leftovers half = Leftovers.now();
            make(server, calls / 2, calls);
            int open = settled(server);
            Leftovers all = Leftovers.now();
            return new Figures(
                    calls,
                    good.get(),
                    failed.get(),
                    mixedUp.get(),
                    server.served(),
                    doubled.get(),
                    server.connections(),
                    open,
                    all.threads() - half.threads(),
                    all.descriptors() - half.descriptors(),
                    all.heapBytes() - half.heapBytes());
        }
    }

    /** Makes the calls of the numbers from {@code first} to before {@code end}. */
    private void make(SoakServer server, int first, int end) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(CALLS_AT_ONCE);
        for (int i = first; i < end; i++) {
            Kind kind = Kind.values()[i % Kind.values().length];
            String path = kind + "-" + i;
            pool.execute(() -> call(kind, path, server.uri()));
        }
        pool.shutdown();
        if (!pool.awaitTermination(60, TimeUnit.MINUTES)) throw new AssertionError("calls without an end");
        doubled.addAndGet(
                (int) unsafe.values().stream().filter(n -> n.get() > 1).count());
        unsafe.clear();
    }

    private void call(Kind kind, String path, URI server) {
        try {
            String body = client.send(kind, server.resolve("/" + path));
            if (body != null && !body.equals(textOf.apply("/" + path))) mixedUp.incrementAndGet();
            (body == null ? failed : good).incrementAndGet();
        } catch (Exception e) {
            failed.incrementAndGet();
        }
    }

    private Reply reply(Seen request) {
        String text = text(request.path());
        return switch (fault(request.path(), !request.method().equals("GET"))) {
            case 0, 1, 2, 3 -> Replies.status(503, "x".repeat(200));
            case 4, 5 -> Replies.status(429, "");
            case 6 -> Replies.hangUp();
            case 7 -> Replies.reset();
            case 8 -> Replies.raw(Replies.head(200, text.length()) + text.substring(0, text.length() / 2), false);
            case 9 -> Replies.statusAndClose(503, "");
            default -> Replies.status(200, text);
        };
    }

    /**
     * Takes note of a request to {@code path}, which may come once if it {@code isUnsafe}. Returns what to do with it,
     * at random: a fault of 0 to 9, or from 10 to 29 none.
     */
    public int fault(String path, boolean isUnsafe) {
        if (isUnsafe) unsafe.computeIfAbsent(path, each -> new AtomicInteger()).incrementAndGet();
        synchronized (random) {
            return random.nextInt(30);
        }
    }

    /** The connections that stay open: an engine closes the others a little later. */
    private static int settled(SoakServer server) throws InterruptedException {
        int open = server.openConnections();
        for (int i = 0; i < 50; i++) {
            TimeUnit.MILLISECONDS.sleep(20);
            int now = server.openConnections();
            if (now == open && i > 10) break;
            open = now;
        }
        return open;
    }
}
