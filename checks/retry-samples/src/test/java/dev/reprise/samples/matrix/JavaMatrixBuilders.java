package dev.reprise.samples.matrix;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Classifier;
import dev.reprise.core.ErrorRule;
import dev.reprise.core.ExceptionRule;
import dev.reprise.core.Jitter;
import dev.reprise.core.Polling;
import dev.reprise.core.QuotaCharge;
import dev.reprise.core.RatioQuotaSettings;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.ServerDelayBound;
import dev.reprise.core.ServerDelayHeader;
import dev.reprise.core.ServerDelayRule;
import dev.reprise.core.ServerHints;
import dev.reprise.core.Statuses;
import dev.reprise.core.SteadyQuotaSettings;
import dev.reprise.core.TokenBucketSettings;
import dev.reprise.presets.PolicyJson;
import dev.reprise.presets.Presets;
import dev.reprise.presets.botocore.RetryModel;
import dev.reprise.presets.clock.ClockSkew;
import dev.reprise.presets.config.AwsRetryConfig;
import dev.reprise.presets.config.ConfigOverrides;
import dev.reprise.presets.config.ConfigSources;
import dev.reprise.presets.config.RetryMode;
import dev.reprise.presets.sdk.Preset;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Every step of every chain of calls. As {@link JavaMatrix}. */
final class JavaMatrixBuilders {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(20);

    private JavaMatrixBuilders() {}

    static RetryPolicy policy() {
        return RetryPolicy.STANDARD.toBuilder()
                .exponentialBackoff(SHORT, LONG)
                .exponentialBackoff(SHORT, LONG, Jitter.EQUAL)
                .fixedBackoff(SHORT)
                .fixedBackoff(SHORT, Jitter.FULL)
                .noBackoff()
                .unlimitedAttempts()
                .deadline(LONG)
                .classifier(RetryPolicy.HTTP.getClassifier())
                .serverDelays(List.of(
                        ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER_SECONDS, ServerDelayBound.atMost(LONG))))
                .noQuota()
                .build();
    }

    static List<Object> settings() {
        return List.of(
                CallOptions.DEFAULT.toBuilder()
                        .operation("users.get")
                        .repeat(Repeat.SAFE)
                        .longPolling(true)
                        .deadline(LONG)
                        .build(),
                ClockSkew.builder()
                        .definiteCodes(Set.of("a"))
                        .possibleCodes(Set.of("b"))
                        .threshold(LONG)
                        .build(),
                new ErrorRule(null, Set.of("a"), Statuses.of(500), null),
                new ExceptionRule(null, Set.of("java.io.IOException"), null, false),
                ConfigOverrides.NONE.toBuilder()
                        .configFile("~/a")
                        .maxAttempts(3)
                        .profile("a")
                        .retryMode(RetryMode.LEGACY)
                        .sdkSwitch(true)
                        .build());
    }

    static List<Object> quotasAndRates() {
        return List.of(
                TokenBucketSettings.builder()
                        .capacity(500)
                        .cost(14)
                        .throttlingCost(5)
                        .timeoutCost(10)
                        .firstTryRefund(1)
                        .charge(QuotaCharge.FAILURES)
                        .build(),
                SteadyQuotaSettings.builder()
                        .capacity(500)
                        .cost(14)
                        .throttlingCost(14)
                        .timeoutCost(14)
                        .firstTryRefund(2)
                        .reserveRefund(1)
                        .leastCapacity(41)
                        .seconds(5)
                        .operationShare(0.5)
                        .operations(64)
                        .build(),
                RatioQuotaSettings.builder()
                        .percent(20)
                        .perSecond(10)
                        .windowSeconds(10)
                        .build(),
                SendRateSettings.builder()
                        .beta(0.7)
                        .scale(0.4)
                        .minFillRate(0.5)
                        .minCapacity(1)
                        .quietSeconds(180)
                        .hints(ServerHints.OFF)
                        .build());
    }

    static List<Backoff> backoffs() {
        return List.of(
                Backoff.exponential(SHORT, LONG),
                Backoff.exponential(SHORT, LONG, 2, Jitter.FULL),
                Backoff.exponential(SHORT, LONG, 2, Jitter.FULL_MILLIS, LONG, 0),
                Backoff.exponential(SHORT, LONG, 2, Jitter.EQUAL_MILLIS, LONG, 1),
                Backoff.linear(SHORT, SHORT, LONG),
                Backoff.linear(SHORT, SHORT, LONG, Jitter.FULL_MILLIS_FROM_ONE),
                Backoff.fixed(SHORT, Jitter.FULL_MILLIS_INCLUSIVE),
                Backoff.fixed(SHORT, Jitter.FULL_TRUNCATED_MILLIS),
                Backoff.fixed(SHORT, Jitter.NONE));
    }

    static List<Object> others(ConfigSources sources) {
        Preset preset = Presets.getAll().get(0);
        return List.of(
                preset.policy(),
                preset.policy("s3"),
                RetryModel.getBuiltIn().resolve(),
                RetryModel.getBuiltIn().resolve("s3"),
                PolicyJson.read(PolicyJson.toElement(preset.policy())),
                Classifier.onCause(IOException.class),
                SendRateSettings.EXACT.toBuilder().build(),
                Presets.named("standard-2.1", "s3"),
                AwsRetryConfig.resolve(),
                AwsRetryConfig.resolve("s3"),
                AwsRetryConfig.resolve("s3", ConfigOverrides.NONE),
                AwsRetryConfig.resolve("s3", ConfigOverrides.NONE, sources),
                Polling.every(SHORT, LONG).growingTo(LONG),
                ServerDelayBound.add(SHORT),
                ServerDelayBound.clamp(SHORT));
    }

    static Object read(AttemptTimeoutException timeout) {
        return timeout.getTimeout();
    }
}
