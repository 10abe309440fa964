package dev.reprise.samples.members;

import dev.reprise.core.Attempt;
import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.DeadlineSource;
import dev.reprise.core.FailureKind;
import dev.reprise.core.Jitter;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryableFailure;
import dev.reprise.core.ServerDelay;
import dev.reprise.core.ServerDelayBound;
import dev.reprise.core.SteadyQuotaSettings;
import dev.reprise.core.Upstream;
import dev.reprise.core.Verdict;
import dev.reprise.core.WhenRetriedBelow;
import dev.reprise.core.shell.http.RetryReport;
import dev.reprise.core.shell.quota.Quotas;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.RunnableAttempt;
import dev.reprise.java.StageSupplier;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Members that no other test calls, as a user in Java writes them. As {@code RestInKotlin}. */
final class RestInJava {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(20);

    private RestInJava() {}

    static RetryPolicy policy() {
        return RetryPolicy.builder()
                .exponentialBackoff(SHORT, LONG)
                .fixedBackoff(SHORT, Jitter.FULL)
                .honourRetryAfter(LONG, false)
                .honourShouldRetry(true)
                .whenRetriedBelow(WhenRetriedBelow.RETRY)
                .build();
    }

    static List<Backoff> backoffs() {
        return List.of(
                Backoff.exponential(SHORT, LONG),
                Backoff.exponential(SHORT, LONG, 2, Jitter.FULL_MILLIS, LONG, 0),
                Backoff.linear(SHORT, SHORT, LONG),
                Backoff.linear(SHORT, SHORT, LONG, Jitter.EQUAL),
                Backoff.fixed(SHORT, Jitter.FULL),
                Backoff.decorrelated(SHORT, LONG));
    }

    static List<Object> verdicts() {
        return List.of(
                Classifier.onException(IOException.class),
                Classifier.onCause(IOException.class),
                Verdict.ACCEPT,
                new Verdict.Retry(FailureKind.TRANSIENT),
                new Verdict.Retry(FailureKind.TRANSIENT, "busy"),
                new Verdict.Retry(FailureKind.TRANSIENT, "refused", true),
                SteadyQuotaSettings.builder().build(),
                ServerDelay.of(SHORT).getDelay(),
                ServerDelayBound.add(SHORT),
                ServerDelayBound.atLeast(SHORT),
                ServerDelayBound.atMost(SHORT),
                ServerDelayBound.clamp(SHORT));
    }

    static final class Busy extends RuntimeException implements RetryableFailure {
        private static final long serialVersionUID = 1;

        @Override
        public FailureKind getFailureKind() {
            return FailureKind.THROTTLING;
        }

        @Override
        public Duration getServerDelay() {
            return SHORT;
        }
    }

    static List<Duration> durations(RetryPolicy policy, Attempt attempt, RetryReport report) {
        return List.of(
                policy.getAttemptTimeout(),
                policy.getDeadline(),
                policy.getStopAfter(),
                attempt.getTimeLeft(),
                report.getTotalDelay());
    }

    static List<Duration> told(
            RetryEvent.RetryScheduled retry,
            RetryEvent.CallSucceeded success,
            RetryEvent.CallGaveUp end,
            RetryEvent.HedgeStarted hedge,
            RetryEvent.PermitWaited permit) {
        return List.of(
                retry.getDelay(),
                retry.getCeiling(),
                retry.getBackoff(),
                success.getTotalDelay(),
                end.getTotalDelay(),
                end.getLastDelay(),
                hedge.getDelay(),
                permit.getWait());
    }

    static List<Object> retriers(RetryPolicy policy, RetryListener listener, SendRate rate, DeadlineSource deadlines) {
        JavaRetrier retrier = JavaRetrier.builder(policy)
                .listeners(List.of(listener))
                .sendRate(rate)
                .build();
        return List.of(
                retrier.waiter(),
                retrier.options(),
                retrier.with(deadlines),
                Retrier.builder().policy(policy).build(),
                Quotas.newQuota(SteadyQuotaSettings.DEFAULT, System::nanoTime));
    }

    static Object calls(RunnableAttempt<IOException> work, StageSupplier<String> stage, Attempt attempt)
            throws Exception {
        work.run(attempt);
        return stage.get();
    }

    static Integer most(Upstream upstream) {
        return upstream.getMax();
    }
}
