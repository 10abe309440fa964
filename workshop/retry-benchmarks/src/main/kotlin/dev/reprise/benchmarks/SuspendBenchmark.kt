package dev.reprise.benchmarks

import arrow.resilience.retry
import aws.smithy.kotlin.runtime.retries.getOrThrow
import com.github.michaelbull.retry.retry
import io.github.resilience4j.kotlin.retry.executeSuspendFunction
import kotlinx.coroutines.runBlocking
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.OperationsPerInvocation

/** The suspend face: each benchmark makes its calls in a loop of one coroutine. */
open class SuspendBenchmark {
    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun floor(work: Work, floor: FloorDelay) = calls { handWritten(floor.millis) { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun reprise(work: Work, ours: Ours) = calls { ours.standard { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun repriseTrace(work: Work, ours: Ours) = calls { ours.traced { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun repriseListener(work: Work, ours: Ours) = calls { ours.listened { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun repriseAdaptive(work: Work, ours: Ours) = calls { ours.adaptive { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun repriseLimited(work: Work, ours: Ours) = calls { ours.limited { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun kotlinRetry(work: Work, peer: KotlinRetryPeer) = calls { retry(peer.policy) { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun arrow(work: Work, peer: ArrowPeer) = calls { peer.schedule.retry { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun resilience4j(work: Work, peer: Resilience4jPeer) =
        calls { peer.retry.executeSuspendFunction { work.attempt() } }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun smithy(work: Work, peer: SmithyPeer) =
        calls { peer.standard.retry(peer.policy) { work.attempt() }.getOrThrow() }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    fun smithyAdaptive(work: Work, peer: SmithyPeer) =
        calls { peer.adaptive.retry(peer.policy) { work.attempt() }.getOrThrow() }

    private inline fun calls(crossinline call: suspend () -> Any?): Any? = runBlocking {
        var last: Any? = null
        repeat(CALLS) {
            try {
                last = call()
            } catch (e: Failure) {
                last = e
            }
        }
        last
    }

    private companion object {
        /** Enough calls in one coroutine to hide the cost of its start. */
        const val CALLS = 1000
    }
}
