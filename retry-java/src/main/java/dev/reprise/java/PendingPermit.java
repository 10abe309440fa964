package dev.reprise.java;

import dev.reprise.coroutines.SendRateLine;
import dev.reprise.coroutines.SendRateLines;

/** A place in the line for send permits: ends with the ns that the call has waited there. */
final class PendingPermit extends Pending<Long> {
    private final SendRateLine line;

    PendingPermit(AsyncCall<?, ?> call, SendRateLine line) {
        super(call);
        this.line = line;
    }

    @Override
    void hasEnded() {
        call.resumeElsewhere();
    }

    @Override
    void giveBack(Long waited) {
        SendRateLines.giveBack(line, waited);
    }
}
