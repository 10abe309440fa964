package dev.reprise.faults;

import java.util.Map;

/** A request that a {@link FaultServer} has read; names of headers are in lower case. */
public record Seen(String line, Map<String, String> headers, String body) {
    /** The method, such as GET. */
    public String method() {
        return line.substring(0, line.indexOf(' '));
    }

    /** The path, such as /next. */
    public String path() {
        return line.split(" ")[1];
    }
}
