package dev.reprise.samples.matrix;

import dev.reprise.core.Attempt;
import dev.reprise.core.Backoff;
import dev.reprise.core.BodyNeed;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Classifier;
import dev.reprise.core.ErrorRule;
import dev.reprise.core.ErrorTable;
import dev.reprise.core.ExceptionRule;
import dev.reprise.core.ExceptionTable;
import dev.reprise.core.FailureKind;
import dev.reprise.core.Jitter;
import dev.reprise.core.LoggingListener;
import dev.reprise.core.NoPermit;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.QuotaCharge;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryEventListener;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.RetryableFailure;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.ServerDelay;
import dev.reprise.core.ServerDelayBound;
import dev.reprise.core.ServerDelayHeader;
import dev.reprise.core.ServerDelayRule;
import dev.reprise.core.Statuses;
import dev.reprise.core.SteadyQuotaSettings;
import dev.reprise.core.TokenBucketSettings;
import dev.reprise.core.Verdict;
import dev.reprise.core.shell.http.Crc32Check;
import dev.reprise.core.shell.http.RetryReport;
import dev.reprise.core.shell.quota.Quotas;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.coroutines.Retrier;
import dev.reprise.java.JavaRetrier;
import dev.reprise.presets.PolicyJson;
import dev.reprise.presets.Presets;
import dev.reprise.presets.clock.ClockSkew;
import dev.reprise.presets.clock.ServerClock;
import dev.reprise.presets.config.ConfigOverrides;
import dev.reprise.presets.config.RetryMode;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What a user in Java makes and reads. That this compiles is the test; nothing here is a good example. */
final class JavaMatrix {
    private JavaMatrix() {}

    static RetryPolicy policy() {
        return RetryPolicy.builder()
                .maxAttempts(5)
                .deadline(Duration.ofSeconds(10))
                .stopAfter(Duration.ofSeconds(9))
                .attemptTimeout(Duration.ofSeconds(2))
                .attemptTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(2))
                .backoff(Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(20)))
                .classifyFirst(classifier())
                .retryOn(IOException.class)
                .retryOn(IOException.class, FailureKind.THROTTLING)
                .rejectOn(IllegalStateException.class)
                .onFailure(failure -> failure instanceof IOException ? Verdict.TRANSIENT : null)
                .onResult(result -> "later".equals(result) ? Verdict.THROTTLING : null)
                .serverDelays(List.of(ServerDelayRule.of(
                                ServerDelayHeader.RETRY_AFTER, ServerDelayBound.atLeast(Duration.ofMinutes(1)))
                        .on(Statuses.of(503))))
                .honourRetryAfter(Duration.ofSeconds(30))
                .honourRetryAfter(Duration.ofSeconds(30), false)
                .quota(TokenBucketSettings.builder()
                        .capacity(500)
                        .cost(14)
                        .throttlingCost(5)
                        .charge(QuotaCharge.RETRIES)
                        .build())
                .sendRate(SendRateSettings.STEADY.toBuilder()
                        .beta(0.9)
                        .quietSeconds(60)
                        .build())
                .onNoPermit(NoPermit.waitAtMost(Duration.ofSeconds(2)))
                .onBadResult(OnBadResult.THROW)
                .longPollingDelay(false)
                .trace(true)
                .build();
    }

    static List<Object> ends() {
        return List.of(
                Verdict.ACCEPT,
                Verdict.REJECT,
                policy().getStopAfter(),
                Quotas.newQuota(SteadyQuotaSettings.DEFAULT, System::nanoTime));
    }

    static List<Backoff> backoffs() {
        return List.of(
                Backoff.fixed(Duration.ofSeconds(1)),
                Backoff.fixed(Duration.ofSeconds(1), Jitter.FULL),
                Backoff.linear(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(9)),
                Backoff.decorrelated(Duration.ofMillis(50), Duration.ofSeconds(20)),
                Backoff.perKind(Backoff.IMMEDIATE, Backoff.STANDARD),
                Backoff.custom(retry -> retry.getElapsed().toSeconds() > 9 ? null : Duration.ofMillis(50)),
                Backoff.custom(
                        Jitter.EQUAL,
                        retry -> retry.getFailure() instanceof IOException || retry.getResult() == null
                                ? retry.getPreviousDelay()
                                : Duration.ofMillis(retry.getRetryIndex())));
    }

    static Classifier classifier() {
        ErrorRule row = new ErrorRule(FailureKind.TRANSIENT, Set.of("a"), Statuses.of(500, 503), "busy");
        ExceptionRule named = new ExceptionRule(null, Set.of("java.io.IOException"), "disk", true);
        return Classifier.firstOf(
                new ErrorTable(row),
                new ErrorTable(List.of(row)),
                new ExceptionTable(List.of(named)),
                new ExceptionTable(List.of(named), 2),
                new Crc32Check(),
                ClockSkew.builder().threshold(Duration.ofMinutes(4)).build(),
                Classifier.failures(failure -> null),
                Classifier.results(
                        BodyNeed.FAILURES,
                        result -> new Verdict.Retry(FailureKind.TRANSIENT, "busy")
                                .withServerDelay(ServerDelay.of(Duration.ofSeconds(1)))),
                Classifier.onException(IOException.class));
    }

    static final class Busy extends RuntimeException implements RetryableFailure {
        private static final long serialVersionUID = 1;

        @Override
        public FailureKind getFailureKind() {
            return FailureKind.THROTTLING;
        }

        @Override
        public Duration getServerDelay() {
            return Duration.ofSeconds(3);
        }
    }

    static List<Object> report(RetryReport report) {
        return List.of(
                report.getAttempts(),
                report.getRequests(),
                report.getReason(),
                report.getTotalDelay(),
                report.getTrace());
    }

    static List<Object> durations(
            RetryPolicy policy, Attempt attempt, RetryOutcome<?> outcome, RetryTrace trace, ServerDelay asked) {
        return List.of(
                policy.getDeadline().toMillis(),
                policy.getAttemptTimeout().toMillis(),
                policy.getAttemptTimeouts().size(),
                attempt.getTimeLeft().toMillis(),
                outcome.getTotalDelay().toMillis(),
                trace.getTotalDelay().toMillis(),
                trace.getElapsed().toMillis(),
                trace.getFailures().get(0).getDelay().toMillis(),
                asked.getDelay().toMillis(),
                ClockSkew.STANDARD.getThreshold().toMillis());
    }

    static final class Listening implements RetryEventListener {
        @Override
        public void onPermitWaited(RetryEvent.PermitWaited event) {
            event.getWait().toMillis();
        }

        @Override
        public void onRetryScheduled(RetryEvent.RetryScheduled event) {
            event.getDelay().plus(event.getCeiling()).plus(event.getBackoff()).toMillis();
        }

        @Override
        public void onCallSucceeded(RetryEvent.CallSucceeded event) {
            event.getTotalDelay().toMillis();
            event.getResult();
        }

        @Override
        public void onCallGaveUp(RetryEvent.CallGaveUp event) {
            event.getTotalDelay().plus(event.getLastDelay()).toMillis();
        }
    }

    static List<Object> retriers() {
        ServerClock clock = new ServerClock(Clock.systemUTC());
        RetryListener logging = new LoggingListener(true, (level, line) -> System.out.println(level + line.get()));
        Retrier retrier = Retrier.builder(policy())
                .quota(new RetryQuota(100))
                .listener(clock)
                .listeners(List.of(logging, new Listening()))
                .draws(() -> 1.0)
                .build();
        JavaRetrier same = JavaRetrier.builder(policy())
                .quota(null)
                .listener(logging)
                .listeners(List.of(clock))
                .build();
        CallOptions options = CallOptions.builder()
                .operation("users.get")
                .repeat(Repeat.IF_UNSENT)
                .build();
        return List.of(JavaRetrier.sharing(retrier), same.policy(), options, clock.getOffset(), clock.instant());
    }

    static List<Object> others() {
        ConfigOverrides overrides = ConfigOverrides.builder()
                .retryMode(RetryMode.ADAPTIVE)
                .maxAttempts(3)
                .sdkSwitch(true)
                .build();
        RetryPolicy old = Presets.named("java-v1-equal-jitter", "dynamodb");
        return List.of(overrides, old, PolicyJson.write(old), Presets.named("none"));
    }
}
