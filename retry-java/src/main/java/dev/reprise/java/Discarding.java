package dev.reprise.java;

/** Work whose results may have to be closed. */
public interface Discarding<T> {
    /**
     * Closes a result that the caller will not get, because another attempt follows or the call was cancelled. Each
     * result is either returned or discarded. Does nothing by default.
     */
    default void discard(T result) {}

    /**
     * Whether results hold something that should not be kept over a wait, such as a connection. They are then discarded
     * before the wait; otherwise right before the next attempt. A call that gets no send permit for that attempt ends
     * with a {@link dev.reprise.core.NoPermitException} then, where it could have returned the result otherwise.
     */
    default boolean releasesBeforeWait() {
        return false;
    }
}
