package dev.reprise.samples;

import dev.reprise.core.Upstream;
import dev.reprise.coroutines.Retrier;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.Serving;
import java.util.function.IntUnaryOperator;

/** The Java snippet of the guide to layers. */
final class JavaLayers {
    private final JavaRetrier orders;
    private final Api api;
    private int attempts;

    JavaLayers(Retrier retrier, IntUnaryOperator server) {
        orders = JavaRetrier.sharing(retrier);
        api = id -> {
            attempts++;
            return server.applyAsInt(id);
        };
    }

    private interface Api {
        int fetch(int id);
    }

    @SuppressWarnings("try")
    private int fetch(int id) {
        try (var serving = Serving.open(new Upstream(2))) {
            return orders.call(() -> api.fetch(id));
        }
    }

    int attemptsForRetry() {
        try {
            return -fetch(1);
        } catch (Exception e) {
            return attempts;
        }
    }
}
