package dev.reprise.faults;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Sends one client through all scenarios, several at a time. Judges each cell by the laws that hold for all clients: no
 * unsafe request is sent twice, no broken response is reported as good, a GET ends well if it can, failures carry a
 * trace, and every call ends in time. {@link MatrixPage} shows the results.
 */
public final class Matrix {
    private static final int AT_ONCE = 8;

    /** The faults that are in the hands of a caller who reads the body as a stream. */
    public static final Set<String> AFTER_THE_HEAD = Set.of(
            "STALLED_BODY",
            "STALLED_CHUNKS",
            "STALLED_LATE",
            "STALLED_FAILURE",
            "TRICKLING_FAILURE",
            "CUT_BODY",
            "LARGE_CUT_BODY",
            "BAD_CHUNK",
            "CUT_CHUNKS",
            "REDIRECT_INTO_CUT_BODY",
            "H2_RESET_IN_BODY",
            "H2_CONNECTION_LOST_IN_BODY");

    /** A client with retries. Limits an attempt to about two seconds. */
    public interface Client {
        /** Sends one request and returns what its caller saw. Called by many threads. */
        Observation send(Kind kind, URI uri);

        /** Sends a request whose caller reads the body later; null if the client cannot. */
        default Observation hold(Held held, URI uri) {
            return null;
        }
    }

    private final Map<Scenario, List<Played>> cells = new LinkedHashMap<>();

    private Matrix() {}

    /**
     * Begins with all scenarios. Leaves out those of HTTP/2 if the client does not speak it. In scenarios named in
     * {@code excused} the client need not retry, because its engine hides the fault or the caller has the body already.
     */
    public static Matrix of(Client client, boolean speaksHttp2, Set<String> excused) {
        warmUp(client);
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        Matrix matrix = new Matrix();
        for (Scenario scenario : Scenario.all()) {
            if (scenario.isHttp2() && !speaksHttp2) continue;
            boolean isExcused = excused.contains(scenario.toString());
            List<Played> kinds = new ArrayList<>();
            for (Kind kind : scenario.held() == null ? List.of(Kind.values()) : List.of(Kind.GET)) {
                Cell cell = new Cell(scenario, kind, client, isExcused);
                kinds.add(new Played(cell, CompletableFuture.supplyAsync(cell::play, pool)));
            }
            matrix.cells.put(scenario, kinds);
        }
        pool.shutdown();
        return matrix;
    }

    /** The first call of all, and the first handshake, may take longer than an attempt is given. */
    private static void warmUp(Client client) {
        for (Kind kind : Kind.values()) {
            try (Scene plain = new FaultServer(Fault.NONE);
                    Scene secure = new FaultServer(Certificates.sockets(), Fault.NONE)) {
                client.send(kind, plain.uri());
                client.send(kind, secure.uri());
            }
        }
    }

    /**
     * The page's text for {@code scenario}, as soon as it is known; a dash if the client does not meet it. A call that
     * does not end as {@code expected} is made again, alone, twice at most: on a busy machine it may exceed its limit.
     * Null expects nothing.
     */
    public String cell(Scenario scenario, String expected) {
        List<Played> kinds = cells.get(scenario);
        if (kinds == null) return "—";
        String[] marks = expected == null ? new String[0] : expected.split(" ");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) texts.add(kinds.get(i).mark(i < marks.length ? marks[i] : null));
        return String.join(" ", texts);
    }

    private record Played(Cell cell, CompletableFuture<String> first) {
        String mark(String expected) {
            String mark = result();
            for (int again = 0; again < 2; again++) {
                if (cell.tooSlow() == null && expected == null) return mark;
                if (cell.tooSlow() == null && allows(expected, mark)) return expected;
                mark = cell.play();
            }
            if (cell.tooSlow() != null) throw new AssertionError(cell.tooSlow());
            return mark;
        }

        /** Whether {@code mark} is {@code expected}, or keeps it if it is a bound, as "≤2✗" is. */
        private static boolean allows(String expected, String mark) {
            if (mark.equals(expected)) return true;
            if (!expected.startsWith("≤") || mark.length() < 2) return false;
            String found = mark.startsWith("≤") ? mark.substring(1) : mark;
            return found.charAt(0) <= expected.charAt(1) && found.substring(1).equals(expected.substring(2));
        }

        private String result() {
            try {
                return first.get(2, TimeUnit.MINUTES);
            } catch (Exception e) {
                throw new AssertionError(e.getCause() == null ? e : e.getCause());
            }
        }
    }
}
