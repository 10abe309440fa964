package dev.reprise.samples;

import dev.reprise.java.JavaRetrier;
import java.util.function.Consumer;
import org.jooq.DSLContext;

/** The snippet of jOOQ in the guide to databases; {@code DatabaseLibrariesTest} runs it. */
final class JooqSample {
    private final JavaRetrier retrier;
    private final DSLContext dsl;
    private final Consumer<DSLContext> payment;

    JooqSample(JavaRetrier retrier, DSLContext dsl, Consumer<DSLContext> payment) {
        this.retrier = retrier;
        this.dsl = dsl;
        this.payment = payment;
    }

    int pay() {
        int paid = retrier.call(() -> dsl.transactionResult(transaction -> insertPayment(transaction.dsl())));
        return paid;
    }

    private int insertPayment(DSLContext dsl) {
        payment.accept(dsl);
        return 1;
    }
}
