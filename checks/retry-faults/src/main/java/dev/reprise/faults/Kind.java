package dev.reprise.faults;

/** The kinds of requests that a client is tried with. */
public enum Kind {
    /** May be repeated. */
    GET("GET", ""),
    /** May not, unless it was never sent. */
    POST("POST", "pay"),
    /** A body that can be read once, of a method that may be repeated. */
    ONE_SHOT_PUT("PUT", "pay");

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

    /** The body; empty for none. */
    public String payload() {
        return payload;
    }
}
