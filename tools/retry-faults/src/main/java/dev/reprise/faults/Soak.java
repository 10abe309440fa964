package dev.reprise.faults;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many calls to a server that fails one time in three, and what is left of them: a client loses nothing, doubles
 * nothing and leaks nothing.
 */
public final class Soak {
    static final String SERVER_THREADS = "fault-server";

    private static final int CALLS_AT_ONCE = 8;
    private static final int IN_EVERY_BUILD = 150;
    private static final int NIGHTLY = 100_000;

    /** A client with retries. */
    public interface Client {
        /** Sends a request; returns the response's body if its status is 200, else null. Called by many threads. */
        String send(Kind kind, URI uri) throws Exception;
    }

    /**
     * What came of it. Threads and heap are what is there after the calls beyond what was there before them; the
     * server's own threads do not count.
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
            long moreHeapBytes) {}

    private final AtomicInteger good = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger mixedUp = new AtomicInteger();
    private final Map<String, AtomicInteger> unsafe = new ConcurrentHashMap<>();
    private final Random random = new Random(1);
    private final Client client;

    private Soak(Client client) {
        this.client = client;
    }

    /** A hundred and fifty calls of {@code client}; with {@code -Dnightly} a hundred thousand. */
    public static Figures run(Client client) throws InterruptedException {
        return new Soak(client).run(System.getProperty("nightly") == null ? IN_EVERY_BUILD : NIGHTLY);
    }

    private Figures run(int calls) throws InterruptedException {
        try (FaultServer server = FaultServer.forMany((number, request) -> reply(request))) {
            make(server, IN_EVERY_BUILD, IN_EVERY_BUILD);
            int threads = threads();
            long heap = heap();
            int before = server.served();
            good.set(0);
            failed.set(0);
            make(server, 0, calls);
            int open = settled(server);
            int doubled =
                    (int) unsafe.values().stream().filter(n -> n.get() > 1).count();
            unsafe.clear();
            return new Figures(
                    calls,
                    good.get(),
                    failed.get(),
                    mixedUp.get(),
                    server.served() - before,
                    doubled,
                    server.connections(),
                    open,
                    threads() - threads,
                    heap() - heap);
        }
    }

    private void make(FaultServer server, int offset, int calls) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(CALLS_AT_ONCE);
        for (int i = 0; i < calls; i++) {
            Kind kind = Kind.values()[i % Kind.values().length];
            String path = kind + "-" + offset + "-" + i;
            pool.execute(() -> call(kind, path, server.uri()));
        }
        pool.shutdown();
        if (!pool.awaitTermination(60, TimeUnit.MINUTES)) throw new AssertionError("calls without an end");
    }

    private void call(Kind kind, String path, URI server) {
        try {
            String body = client.send(kind, server.resolve("/" + path));
            if (body != null && !body.equals("/" + path)) mixedUp.incrementAndGet();
            (body == null ? failed : good).incrementAndGet();
        } catch (Exception e) {
            failed.incrementAndGet();
        }
    }

    private Reply reply(Seen request) {
        if (!request.method().equals("GET"))
            unsafe.computeIfAbsent(request.path(), path -> new AtomicInteger()).incrementAndGet();
        int draw;
        synchronized (random) {
            draw = random.nextInt(30);
        }
        return switch (draw) {
            case 0, 1, 2, 3 -> Replies.status(503, "x".repeat(200));
            case 4, 5 -> Replies.status(429, "");
            case 6 -> Replies.hangUp();
            case 7 -> Replies.reset();
            case 8 -> Replies.cutAfter(200, "a part");
            case 9 -> Replies.statusAndClose(503, "");
            default -> Replies.status(200, request.path());
        };
    }

    /** The connections that stay open: an engine closes the others a little later. */
    private static int settled(FaultServer server) throws InterruptedException {
        int open = server.openConnections();
        for (int i = 0; i < 50; i++) {
            TimeUnit.MILLISECONDS.sleep(20);
            int now = server.openConnections();
            if (now == open && i > 10) break;
            open = now;
        }
        return open;
    }

    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().equals(SERVER_THREADS))
                .count();
    }

    private static long heap() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
