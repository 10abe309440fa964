package dev.reprise.samples;

import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.util.concurrent.Executor;

/** The Java snippet of the guide to hedging. */
final class JavaHedging {
    private JavaHedging() {}

    static JavaRetrier reads(Executor executor) {
        RetryPolicy policy = RetryPolicy.builder().hedge(new Hedge(0.02)).build();
        JavaRetrier reads = JavaRetrier.builder(policy).hedgeExecutor(executor).build();
        return reads;
    }
}
