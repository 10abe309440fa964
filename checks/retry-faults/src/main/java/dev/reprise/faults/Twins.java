package dev.reprise.faults;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Plays {@link Exchanges} that need no retry with two clients that differ in their retries alone. Both must send the
 * same requests, headers included, and their callers get the same.
 */
public final class Twins {
    private static final List<Asked> ASKED = List.of(
            new Asked("GET", ""),
            new Asked("HEAD", ""),
            new Asked("POST", "pay"),
            new Asked("PUT", "pay"),
            new Asked("DELETE", ""),
            new Asked("OPTIONS", ""),
            new Asked("PATCH", "pay"),
            new Asked("DELETE", "pay"));

    private Twins() {}

    /** A request with a {@code body}, or with none if that is empty. */
    public record Asked(String method, String body) {}

    /** A client, as its caller sees it. */
    @FunctionalInterface
    public interface Client {
        /** Sends {@code asked} to {@code uri} and returns all of the response that its caller can see. */
        String end(Asked asked, URI uri) throws Exception;
    }

    /**
     * The differences between the clients, empty if there are none. By day each exchange is played with GET and one
     * other request in turn, with {@code -Dnightly} with all.
     */
    public static String differences(Client bare, Client retried) {
        return differences(bare, retried, (exchange, asked) -> false);
    }

    /** The same without those that the client below ends by chance: {@code isChance} knows them by name and request. */
    public static String differences(Client bare, Client retried, BiPredicate<String, Asked> isChance) {
        List<String> found = new ArrayList<>();
        int turn = 0;
        for (var exchange : Exchanges.ALL.entrySet()) {
            turn++;
            for (Asked asked : ASKED) {
                int other = ASKED.indexOf(asked) - 1;
                boolean isDue = other < 0 || turn % (ASKED.size() - 1) == other;
                if (!isDue && System.getProperty("nightly") == null) continue;
                if (isChance.test(exchange.getKey(), asked)) continue;
                String without = played(bare, asked, exchange.getValue());
                String with = played(retried, asked, exchange.getValue());
                if (!with.equals(without))
                    found.add(exchange.getKey() + ", " + asked + ":\nwithout: " + without + "\nwith:    " + with);
            }
        }
        return String.join("\n", found);
    }

    private static String played(Client client, Asked asked, String response) {
        try (FaultServer server = new FaultServer((number, request) -> Exchanges.reply(response, request))) {
            String end;
            try {
                end = client.end(asked, server.uri());
            } catch (Exception e) {
                // What fails without retries may be retried; and an exception around the first one may say more.
                Throwable first = e;
                while (first.getCause() != null) first = first.getCause();
                return "failed: " + first.getClass().getSimpleName();
            }
            String requests = server.requests().stream().map(Twins::text).collect(Collectors.joining("; "));
            return (end + " after " + requests).replace(":" + server.uri().getPort(), ":port");
        }
    }

    private static String text(Seen request) {
        Map<String, String> headers = new TreeMap<>(request.headers());
        // The body is compared. How long it is may be said in two ways, of none in three.
        headers.keySet().removeAll(List.of("content-length", "transfer-encoding"));
        return request.line() + " " + headers + " " + request.body();
    }
}
