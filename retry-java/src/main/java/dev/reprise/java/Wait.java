package dev.reprise.java;

import java.util.function.Consumer;

/**
 * A wait, for time or for a permit. It ends on the executor, and its call goes on there: users' code must run neither
 * on the thread that ends the wait, a timer's or that of another call, nor on the one that began it.
 */
class Wait<V> extends Pending<V> implements Runnable {
    Wait(FutureCall<?, ?> call, Consumer<? super V> onLate) {
        super(call, onLate);
    }

    /** The time is over. */
    @Override
    public void run() {
        apply(null, null);
    }

    @Override
    public Void apply(V result, Throwable failure) {
        endElsewhere(result, failure);
        return null;
    }

    @Override
    boolean goesOnElsewhere() {
        return isDone();
    }
}
