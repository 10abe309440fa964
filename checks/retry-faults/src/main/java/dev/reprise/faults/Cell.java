package dev.reprise.faults;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client's behaviour in one scenario with one kind of request. */
final class Cell {
    /** How often a scenario is played again whose server did not break. */
    private static final int MOST_MORE = 3;

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Scenario scenario;
    private final Matrix.Client client;
    private final boolean isExcused;
    private final Kind kind;
    private final List<String> breaches = new ArrayList<>();
    private String tooSlow;

    /** The cell of {@code client}, which need not retry this if it {@code isExcused}. */
    Cell(Scenario scenario, Kind kind, Matrix.Client client, boolean isExcused) {
        this.scenario = scenario;
        this.kind = kind;
        this.client = client;
        this.isExcused = isExcused;
    }

    /** Makes the call. Returns the mark that the page has for it; fails if the call has broken a law of safety. */
    String play() {
        tooSlow = null;
        String mark = mark();
        for (int more = 0; mark == null && more < MOST_MORE; more++) mark = mark();
        if (mark == null) throw new AssertionError(scenario + ": the server never broke");
        if (!breaches.isEmpty()) throw new AssertionError(scenario + ": " + String.join("; ", breaches));
        return mark;
    }

    /** The missing liveness of the call, for which a busy machine can be the reason; else null. */
    String tooSlow() {
        return tooSlow;
    }

    /** The mark of one call; null if the server did not break. */
    private String mark() {
        try (Scene scene = scenario.open()) {
            long began = System.nanoTime();
            Held held = scenario.held();
            Observation seen = held == null ? client.send(kind, scene.uri()) : client.hold(held, scene.uri());
            if (seen == null) return "—";
            if (seen.isUnbroken()) return null;
            long took = System.nanoTime() - began;
            List<String> bodies = List.copyOf(scene.bodies());
            String end = seen.isGood() ? "✓" : seen.isLie() ? "!" : "✗";
            String what = kind + " ended with " + seen + " after " + bodies;
            boolean isOfCaller = isExcused && kind != Kind.GET;
            if (took > LONGEST_NANOS && !isOfCaller) tooSlow = "took " + took / 1_000_000 + " ms: " + what;
            if (seen.thrown() != null && !seen.hasTrace() && !isExcused) breaches.add("no trace: " + what);
            if (seen.isLie() && !isExcused) breaches.add("delivered something else: " + what);
            if (kind == Kind.GET && scenario.isCurable() && !seen.isGood() && !isExcused)
                tooSlow = "not retried: " + what;
            if (kind != Kind.GET) judgeUnsafe(scene.uri(), bodies, what);
            // Whether the reset is seen before the head or after it is a matter of microseconds.
            if (isExcused && scenario.isHttp2() && kind == Kind.GET) return "~";
            // A stream that is reset may take its request along before the server has noted it.
            int most = seen.isGood() && scenario.isUnsent() ? 2 : 1;
            boolean isUncertain = scenario.isHttp2() && kind != Kind.GET && bodies.size() <= most;
            return (isUncertain ? "≤" + most : bodies.size()) + end;
        }
    }

    private void judgeUnsafe(URI uri, List<String> bodies, String what) {
        long whole = bodies.stream().filter(kind.payload(uri)::equals).count();
        long most = scenario.isUnsent() ? 3 : 1;
        if (whole > most) breaches.add("sent twice: " + what);
        if (bodies.stream().anyMatch(body -> !body.isEmpty() && !body.equals(kind.payload(uri))))
            breaches.add("sent in part: " + what);
    }
}
