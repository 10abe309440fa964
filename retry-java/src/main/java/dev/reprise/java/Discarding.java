package dev.reprise.java;

import dev.reprise.core.shell.machine.Repeatable;

/** Work whose results may have to be closed, and that may not always be repeated. */
public interface Discarding<T> extends Repeatable {
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

    /**
     * Whether two executions of one attempt may run at once, as a {@link dev.reprise.core.Hedge} of the policy asks
     * for. {@code false} for work that hands something out, or uses something up, while an attempt is under way. Asked
     * before a first attempt that may have a copy; by default work that {@link #mayRepeat} says no of has none.
     */
    default boolean mayRunTwice() {
        return mayRepeat();
    }

    /**
     * Whether another attempt may follow the one that has just ended. Overrides the policy; {@code false} ends the call
     * for the reason {@link dev.reprise.core.StopReason#NOT_REPLAYABLE}. Called once after each attempt that the policy
     * would retry, because of a failure, a timeout or a result, and after no other; under a policy with a hedge also
     * for {@link #mayRunTwice}. For work that hands something out while an attempt is under way, or that uses something
     * up. An attempt that ends later must not hand out anything after this returned {@code true}.
     */
    @Override
    default boolean mayRepeat() {
        return true;
    }
}
