@file:OptIn(ExperimentalReprise::class)

package dev.reprise.benchmarks

import dev.reprise.aws.java.RepriseRetryStrategy
import dev.reprise.core.Backoff
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RetryStrategy

/** Strategies for the clients of the AWS SDK for Java, in the loop that its clients make around one. */
open class AwsStrategyBenchmark {
    @Benchmark
    fun aws(work: Work, peer: AwsPeer) = ending { peer.call(peer.standard) { work.blocking() } }

    @Benchmark
    fun awsAdaptive(work: Work, peer: AwsPeer) = ending { peer.call(peer.adaptive) { work.blocking() } }

    @Benchmark
    fun reprise(work: Work, peer: AwsPeer, ours: RepriseInAws) = ending { peer.call(ours.standard) { work.blocking() } }

    @Benchmark
    fun reprisePreset(work: Work, peer: AwsPeer, ours: RepriseInAws) =
        ending { peer.call(ours.preset) { work.blocking() } }

    @Benchmark
    fun repriseListener(work: Work, peer: AwsPeer, ours: RepriseInAws) =
        ending { peer.call(ours.listened) { work.blocking() } }

    @Benchmark
    fun repriseAdaptive(work: Work, peer: AwsPeer, ours: RepriseInAws) =
        ending { peer.call(ours.adaptive) { work.blocking() } }

    private inline fun ending(call: () -> Any?): Any? = try {
        call()
    } catch (e: Failure) {
        e
    }
}

/** Reprise's strategies: three attempts, no delay, its quota. */
@State(Scope.Benchmark)
open class RepriseInAws {
    private val policy = RetryPolicy {
        backoff = Backoff.IMMEDIATE
        retryOn<Failure>()
    }

    val standard: RepriseRetryStrategy = RepriseRetryStrategy.of(policy)

    /** As users have it who name no service: whose call it is the first outcome tells. */
    val preset: RetryStrategy =
        RepriseRetryStrategy
            .standard()
            .toBuilder()
            .retryOnException(Failure::class.java)
            .backoffStrategy(BackoffStrategy.retryImmediately())
            .build()

    val listened: RepriseRetryStrategy =
        RepriseRetryStrategy.builder().policy(policy).listener(RetryListener { }).build()

    val adaptive: RepriseRetryStrategy =
        RepriseRetryStrategy.of(policy.with { sendRate = Presets.named("adaptive-steady").sendRate })
}
