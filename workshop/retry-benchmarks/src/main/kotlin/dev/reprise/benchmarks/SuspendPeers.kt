package dev.reprise.benchmarks

import arrow.resilience.Schedule
import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.retries.AdaptiveRetryStrategy
import aws.smithy.kotlin.runtime.retries.StandardRetryStrategy
import aws.smithy.kotlin.runtime.retries.delay.DelayProvider
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy
import com.github.michaelbull.retry.policy.stopAtAttempts
import io.github.resilience4j.retry.Retry
import io.github.resilience4j.retry.RetryConfig
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State

/** The hand-written floor's delay, in a field so that no compiler knows that it is zero. */
@State(Scope.Benchmark)
open class FloorDelay {
    @JvmField
    var millis = 0L
}

/** kotlin-retry: three attempts, no delay; it has no quota. */
@State(Scope.Benchmark)
open class KotlinRetryPeer {
    val policy = stopAtAttempts<Throwable>(ATTEMPTS)
}

/** arrow-resilience: three attempts, no delay; it has no quota. */
@State(Scope.Benchmark)
open class ArrowPeer {
    val schedule: Schedule<Throwable, Long> = Schedule.recurs(ATTEMPTS - 1L)
}

/** resilience4j: three attempts, no delay; it has no quota. */
@State(Scope.Benchmark)
open class Resilience4jPeer {
    val retry: Retry =
        Retry.of(
            "peer",
            RetryConfig
                .custom<Any>()
                .maxAttempts(ATTEMPTS)
                .intervalFunction { 0L }
                .retryExceptions(Failure::class.java)
                .build(),
        )
}

/** smithy-kotlin: three attempts, no delay, with its quota; one that fills fast enough for calls that give up. */
@State(Scope.Benchmark)
open class SmithyPeer {
    val policy =
        object : RetryPolicy<Any> {
            private val retry = RetryDirective.RetryError(RetryErrorType.ServerSide)

            override fun evaluate(result: Result<Any>) =
                if (result.isSuccess) RetryDirective.TerminateAndSucceed else retry
        }

    val standard =
        StandardRetryStrategy {
            maxAttempts = ATTEMPTS
            delayProvider = NoDelay
            tokenBucket {
                maxCapacity = ROOMY_BUCKET
                refillUnitsPerSecond = REFILL
            }
        }

    val adaptive =
        AdaptiveRetryStrategy {
            maxAttempts = ATTEMPTS
            delayProvider = NoDelay
        }

    @OptIn(InternalApi::class)
    private object NoDelay : DelayProvider {
        /** A strategy asks for it when it is built, to have what its own configuration can be copied from. */
        override val config: DelayProvider.Config =
            object : DelayProvider.Config {
                override fun toBuilderApplicator(): DelayProvider.Config.Builder.() -> Unit = {}
            }

        override suspend fun backoff(attempt: Int) = Unit
    }

    private companion object {
        /** Its bucket adds what comes in before it takes the smaller of sum and capacity: a larger one overflows. */
        const val ROOMY_BUCKET = 1_000_000_000
        const val REFILL = 100_000_000
    }
}
