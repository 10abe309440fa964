package dev.reprise.java;

import java.util.function.Consumer;

/**
 * A wait, for time or for a permit. It ends on the executor, and its call goes on there: the thread that ends it, a
 * timer's or that of another call, is not one to run users' code on, and neither is the one that began it.
 */
final class Wait<V> extends Pending<V> implements Runnable {
    private final FutureCall<?, ?> call;

    Wait(FutureCall<?, ?> call, Consumer<? super V> onLate) {
        super(call, onLate);
        this.call = call;
    }

    /** The time is over. */
    @Override
    public void run() {
        apply(null, null);
    }

    @Override
    public Void apply(V result, Throwable failure) {
        call.elsewhere(() -> ends(result, failure, true));
        return null;
    }

    @Override
    boolean goesOnElsewhere() {
        return isDone();
    }
}
