package dev.reprise.faults;

import java.net.URI;

/** The kinds of requests that a client is tried with. */
public enum Kind {
    /** May be repeated. */
    GET("GET", ""),
    /** May not, unless it was never sent. */
    POST("POST", "pay"),
    /** A body that can be read once, of a method that may be repeated. */
    ONE_SHOT_PUT("PUT", "pay");

    /** Where uploads go that are larger than all buffers on their way. */
    static final String UPLOADS = "/upload";

    private static final int UPLOAD_BYTES = 12 << 20;

    private final String method;
    private final String payload;

    Kind(String method, String payload) {
        this.method = method;
        this.payload = payload;
    }

    /** The method. */
    public String method() {
        return method;
    }

    /** The body of a request to {@code uri}, a long one for an upload; empty for none. */
    public String payload(URI uri) {
        return uri.getPath().equals(UPLOADS) ? payload.repeat(UPLOAD_BYTES / 3) : payload;
    }
}
