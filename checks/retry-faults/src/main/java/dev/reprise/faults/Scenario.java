package dev.reprise.faults;

import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import mockwebserver3.SocketEffect;
import okhttp3.internal.http2.Settings;

/** A scenario for a client: a server that first fails in some way and works from then on. */
public final class Scenario {
    private static final int REFUSED_STREAM = 7;
    /** The beginning of an HTTP/2 response, sent before the server breaks. */
    static final String LONG_BODY = Fault.BODY.repeat(100);

    private static final Set<Fault> NO_ROWS =
            EnumSet.of(Fault.NONE, Fault.STALE_KEEP_ALIVE, Fault.REDIRECT, Fault.UNREAD);

    private static final List<Scenario> ALL = new ArrayList<>();

    static {
        for (Fault fault : Fault.values()) {
            if (!NO_ROWS.contains(fault)) add(fault.name(), () -> new FaultServer(fault, Fault.NONE));
        }
        add("STALLED_LATE", () -> new FaultServer(Replies.stallAfter(200, "x".repeat(40_000)), Fault.NONE));
        add("LARGE_CUT_BODY", () -> new FaultServer(Replies.cutBy(1_000_000, 1_000_000), Fault.NONE));
        add("REFUSED", Scene::refused);
        add("REDIRECT_INTO_UNAVAILABLE", () -> redirectInto(Fault.UNAVAILABLE));
        add("REDIRECT_INTO_RESET", () -> redirectInto(Fault.RESET));
        add("REDIRECT_INTO_CUT_BODY", () -> redirectInto(Fault.CUT_BODY));
        add("REDIRECT_INTO_REFUSED", () -> redirectIntoRefused(302));
        add("REDIRECT_307_INTO_REFUSED", () -> redirectIntoRefused(307));
        add("UNREAD_UPLOAD", () -> new FaultServer(Fault.UNREAD, Fault.NONE).at(Kind.UPLOADS));
        add("TLS_UNTRUSTED", () -> new FaultServer(Certificates.untrusted(), Fault.NONE));
        add("TLS_HANG_UP", () -> new FaultServer(Certificates.failingOnce(Socket::close), Fault.NONE));
        add("TLS_STALL", () -> new FaultServer(Certificates.failingOnce(connection -> {}), Fault.NONE));
        add(
                "TLS_UNREAD_UPLOAD",
                () -> new FaultServer(Certificates.sockets(), Fault.UNREAD, Fault.NONE).at(Kind.UPLOADS));
        held("EVENTS_UNAVAILABLE", Fault.UNAVAILABLE, Held.EVENTS);
        held("SOCKET_UNAVAILABLE", Fault.UNAVAILABLE, Held.SOCKET);
        held("SOCKET_RESET", Fault.RESET, Held.SOCKET);
        http2("H2_REFUSED_STREAM", new SocketEffect.CloseStream(REFUSED_STREAM), Moment.REQUEST);
        http2("H2_RESET_STREAM", new SocketEffect.CloseStream(), Moment.RESPONSE);
        http2("H2_RESET_IN_BODY", new SocketEffect.CloseStream(), Moment.BODY);
        http2("H2_CONNECTION_LOST_IN_BODY", new SocketEffect.CloseSocket(), Moment.BODY);
        // The retry needs the place of the response that it follows.
        add("H2_ONE_STREAM", () -> {
            var failure = Http2Server.response(503, "busy ".repeat(4)).throttleBody(10, 1, TimeUnit.SECONDS);
            failure.settings(new Settings().set(Settings.MAX_CONCURRENT_STREAMS, 1));
            return new Http2Server(failure.build());
        });
    }

    private enum Moment {
        REQUEST,
        RESPONSE,
        BODY
    }

    private final String name;
    private final Supplier<Scene> opening;
    private final Held held;

    private Scenario(String name, Held held, Supplier<Scene> opening) {
        this.name = name;
        this.held = held;
        this.opening = opening;
    }

    /** All of them. */
    public static List<Scenario> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** A new server for one call. */
    Scene open() {
        return opening.get();
    }

    /** The kind of response that the caller asks for and holds; null for a plain request. */
    public Held held() {
        return held;
    }

    /** Whether only a client that speaks HTTP/2 meets it. */
    public boolean isHttp2() {
        return name.startsWith("H2_");
    }

    /** Whether a failure proves that nothing was sent, or did nothing. */
    boolean isUnsent() {
        return name.equals("REFUSED") || name.equals("H2_REFUSED_STREAM");
    }

    /** Whether a correct client ends with the response of the recovered server. */
    boolean isCurable() {
        return !name.endsWith("REFUSED") && !name.equals("TLS_UNTRUSTED");
    }

    @Override
    public String toString() {
        return name;
    }

    private static void add(String name, Supplier<Scene> opening) {
        ALL.add(new Scenario(name, null, opening));
    }

    private static void held(String name, Fault fault, Held held) {
        Script script = (number, request) -> number == 0 ? fault : held.reply(request);
        ALL.add(new Scenario(name, held, () -> new FaultServer(script)));
    }

    private static void http2(String name, SocketEffect effect, Moment moment) {
        add(name, () -> {
            var response = Http2Server.response(200, LONG_BODY);
            switch (moment) {
                case REQUEST -> response.onRequestStart(effect);
                case RESPONSE -> response.onResponseStart(effect);
                case BODY -> response.onResponseBody(effect);
            }
            return new Http2Server(response.build());
        });
    }

    /** Clients follow the redirect again in each attempt, or ask only the second address again. */
    private static Scene redirectInto(Fault fault) {
        int[] failures = {0};
        return new FaultServer((number, request) -> {
            if (!request.path().equals("/next")) return Fault.REDIRECT;
            synchronized (failures) {
                return failures[0]++ == 0 ? fault : Fault.NONE;
            }
        });
    }

    private static Scene redirectIntoRefused(int status) {
        String location = "Location: " + FaultServer.refused();
        return new FaultServer(Replies.status(status, "", location));
    }
}
