package dev.reprise.faults;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/**
 * A server of raw sockets on the loopback interface that does what its script says, one reply for each request. It
 * counts what it sees. Thread-safe.
 */
public final class FaultServer implements Scene, SoakServer {
    /** The name of all of its threads. */
    static final String THREADS = "fault-server";

    private final List<Reply> replies;
    private final Script script;
    private final boolean isSecure;
    private final boolean isFixed;
    private final boolean keepsRequests;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<Seen> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile String path = "/";
    private final CountDownLatch firstEnd = new CountDownLatch(1);

    /** Starts a server that gives {@code replies} in turn, at least one, the last one for ever. */
    public FaultServer(Reply... replies) {
        this(ServerSocketFactory.getDefault(), List.of(replies), null, true);
    }

    /** Starts a server that gives {@code replies} over TLS by the sockets of {@code tls}. */
    public FaultServer(ServerSocketFactory tls, Reply... replies) {
        this(tls, List.of(replies), null, true);
    }

    /** Starts a server that does what {@code script} says. */
    public FaultServer(Script script) {
        this(ServerSocketFactory.getDefault(), List.of(), script, true);
    }

    /** Starts a server that does what {@code script} says, and keeps no requests: it may serve any number. */
    public static FaultServer forMany(Script script) {
        return new FaultServer(ServerSocketFactory.getDefault(), List.of(), script, false);
    }

    private FaultServer(ServerSocketFactory sockets, List<Reply> replies, Script script, boolean keepsRequests) {
        this.keepsRequests = keepsRequests;
        this.replies = replies;
        this.script = script == null ? (number, request) -> reply(number) : script;
        isFixed = script == null;
        isSecure = sockets != ServerSocketFactory.getDefault();
        try {
            socket = sockets.createServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** Returns an address that refuses connections. */
    public static URI refused() {
        return URI.create("http://127.0.0.1:" + Refusing.SOCKET.getLocalPort() + "/");
    }

    /** Has a port and does not listen there. It stays open, or another program's server might get the port. */
    private static final class Refusing {
        static final Socket SOCKET = new Socket();

        static {
            try {
                SOCKET.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public URI uri() {
        String host = isSecure ? "https://localhost:" : "http://127.0.0.1:";
        return URI.create(host + socket.getLocalPort() + path);
    }

    /** This server, whose clients are sent to {@code path}. */
    FaultServer at(String path) {
        this.path = path;
        return this;
    }

    /** The requests that were read, in order. */
    public List<Seen> requests() {
        return requests;
    }

    @Override
    public List<String> bodies() {
        return requests.stream().map(Seen::body).toList();
    }

    /** How many requests were read, or were due when a connection was reset before that. */
    @Override
    public int served() {
        return next.get();
    }

    @Override
    public int connections() {
        return connections.get();
    }

    @Override
    public int openConnections() {
        return open.size();
    }

    /** Waits up to half a minute for the end of any connection. Returns whether there was one. */
    public boolean awaitHangUp() throws InterruptedException {
        return firstEnd.await(30, TimeUnit.SECONDS);
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                connections.incrementAndGet();
                open.add(connection);
                start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            while (true) {
                if (isFixed && !reply(next.get()).readsFirst()) {
                    // Waits for a request: only a failure after this fails a request and not a connection.
                    in.mark(1);
                    if (in.read() < 0) break;
                    in.reset();
                    reply(next.getAndIncrement()).to(connection);
                    break;
                }
                Seen request = RequestReader.read(in);
                if (request == null) break;
                int number = next.getAndIncrement();
                if (keepsRequests) requests.add(request);
                if (!script.replyTo(number, request).to(connection)) break;
            }
        } catch (IOException | RuntimeException e) {
            // The client has gone, or has never meant to speak HTTP.
        } finally {
            open.remove(connection);
            firstEnd.countDown();
        }
    }

    private Reply reply(int number) {
        return replies.get(Math.min(number, replies.size() - 1));
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, THREADS);
        thread.setDaemon(true);
        thread.start();
    }

    /** Closes the connections that are open now, and goes on. */
    public void closeConnections() {
        try {
            for (Socket connection : open) connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            closeConnections();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
