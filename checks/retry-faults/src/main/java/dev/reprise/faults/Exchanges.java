package dev.reprise.faults;

import java.util.LinkedHashMap;
import java.util.Map;

/** Responses that no policy here retries, odd ones among them. */
final class Exchanges {
    private static final String END = "\r\n\r\n";
    private static final String PACKED = Replies.packed("packed");

    /** The responses by name. */
    static final Map<String, String> ALL = new LinkedHashMap<>();

    static {
        add("a body", "200 OK", "good");
        add("an empty body", "200 OK", "");
        chunked("chunks", Replies.chunk("go") + Replies.chunk("od") + Replies.chunk(""));
        chunked("no chunk", Replies.chunk(""));
        chunked("a trailer", Replies.chunk("good") + "0\r\nX-Sum: 1\r\n\r\n");
        chunked("a chunk with an extension", "4;a=b\r\ngood\r\n0\r\n\r\n");
        raw("a body that its connection ends", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it");
        raw("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nold");
        raw("HTTP/1.0 that stays", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\ngood");
        raw("lines that end early", "HTTP/1.1 200 OK\nContent-Length: 4\n\ngood");
        raw("a blank line before", "\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\ngood");
        raw("no reason", "HTTP/1.1 200\r\nConnection: close\r\nContent-Length: 4\r\n\r\ngood");
        add("an empty reason", "200 ", "good");
        add("a reason of another script", "200 \u00e9\u00e8", "good");
        add("a packed body", "200 OK", PACKED, "Content-Encoding: gzip");
        add("a packed body, in capitals", "200 OK", PACKED, "Content-Encoding: GZIP");
        add("a packed body by its old name", "200 OK", PACKED, "Content-Encoding: x-gzip");
        add("a packed text that is empty", "200 OK", Replies.packed(""), "Content-Encoding: gzip");
        add("nothing, packed", "200 OK", "", "Content-Encoding: gzip");
        add("a body as it is", "200 OK", "good", "Content-Encoding: identity");
        add("an unknown packing", "200 OK", "good", "Content-Encoding: odd");
        add("a type that is none", "200 OK", "good", "Content-Type: none");
        add("a charset that is none", "200 OK", "good", "Content-Type: text/plain; charset=none");
        add("an event stream", "200 OK", "data: 1\n\n", "Content-Type: text/event-stream");
        add("a length twice", "200 OK", "good", "Content-Length: 4");
        add("empty headers, blanks, other scripts", "200 OK", "good", "X-Empty:", "X-Blank:  a\t", "X-Latin: \u00e9");
        add("a header twice", "200 OK", "good", "Set-Cookie: a=1", "Set-Cookie: b=2; Path=/");
        add("a folded header", "200 OK", "good", "X-Folded: a\r\n b");
        add("a long header", "200 OK", "good", "X-Long: " + "x".repeat(6_000));
        add("a wait that was not asked for", "200 OK", "good", "Retry-After: 9", "x-should-retry: true");
        raw(
                "a length and chunks",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n" + "Connection: close\r\n\r\n"
                        + Replies.chunk("good") + Replies.chunk(""));
        raw("a go-ahead before", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood");
        raw(
                "hints before",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood");
        add("a strange success", "298 Odd", "good");
        add("accepted", "202 Accepted", "");
        raw("no content", "HTTP/1.1 204 No Content\r\n\r\n");
        raw("no content, packed", "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n");
        add("no content, with a length", "204 No Content", "hello", "Connection: close");
        add("reset content", "205 Reset Content", "");
        add("part of a content", "206 Partial", "good", "Content-Range: bytes 0-3/9");
        raw(
                "not modified, with a length",
                "HTTP/1.1 304 Not Modified\r\nConnection: close\r\nContent-Length: 70\r\nETag: \"1\"\r\n\r\n");
        raw("not modified, packed", "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n");
        raw(
                "not modified, in chunks",
                "HTTP/1.1 304 Not Modified\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int status : new int[] {300, 301, 302, 303, 307, 308})
            add("a redirect by " + status, status + " Go", "there", "Location: /next");
        add("a redirect to nowhere", "302 Go", "");
        add("a redirect that is no address", "302 Go", "", "Location: http://[");
        add("a redirect to itself", "302 Go", "", "Location: /");
        add("a challenge", "401 Who", "no", "WWW-Authenticate: Basic realm=\"a\"");
        add("a challenge of an unknown kind", "401 Who", "no", "WWW-Authenticate: Odd");
        add("a challenge that is none", "401 Who", "no");
        add("a proxy's challenge without a proxy", "407 Who", "no", "Proxy-Authenticate: Basic realm=\"a\"");
        add("a missing thing", "404 Gone", "gone");
        add("a missing thing, packed", "404 Gone", PACKED, "Content-Encoding: gzip");
        add("a missing thing that says when", "404 Gone", "gone", "Retry-After: 9");
        add("a failure without a body", "400 Bad", "");
        add("an expectation that fails", "417 No", "no");
        add("the wrong server", "421 No", "no", "Connection: close");
        add("an upgrade that is asked for", "426 Up", "no", "Upgrade: TLS/1.2", "Connection: upgrade");
        add("a failure that is not retried", "501 No", "no");
    }

    private Exchanges() {}

    /** Replies {@code text} to {@code request}, or what came where it led to: another path, or credentials. */
    static Reply reply(String text, Seen request) {
        String got = request.method() + " " + request.body();
        boolean isDone = request.path().equals("/next") || request.headers().containsKey("authorization");
        String whole = isDone ? Replies.head(200, got.length()) + got : text;
        boolean staysOpen = !whole.contains("Connection: close") && !whole.startsWith("HTTP/1.0 200 OK\r\n\r\n");
        return Replies.raw(request.method().equals("HEAD") ? headOf(whole) : whole, staysOpen);
    }

    private static String headOf(String whole) {
        int last = whole.lastIndexOf("HTTP/1.");
        int end = whole.indexOf(END, last);
        return end < 0 ? whole.replace("good", "") : whole.substring(0, end + END.length());
    }

    private static void add(String name, String status, String body, String... headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n");
        for (String header : headers) text.append(header).append("\r\n");
        ALL.put(name, text.append("\r\n").append(body).toString());
    }

    private static void chunked(String name, String chunks) {
        ALL.put(name, Replies.chunkedHead(200) + chunks);
    }

    private static void raw(String name, String text) {
        ALL.put(name, text);
    }
}
