package dev.reprise.benchmarks

import dev.failsafe.function.CheckedSupplier
import dev.reprise.java.ThrowingSupplier
import org.openjdk.jmh.annotations.Benchmark

/** The blocking face: one call on the benchmark's own thread. */
open class BlockingBenchmark {
    @Benchmark
    fun floor(work: Work, floor: FloorDelay) = ending { handWrittenBlocking(floor.millis) { work.blocking() } }

    @Benchmark
    fun reprise(work: Work, ours: Ours) =
        ending { ours.java.call(ThrowingSupplier<Any, RuntimeException> { work.blocking() }) }

    @Benchmark
    fun repriseTrace(work: Work, ours: Ours) =
        ending { ours.javaTraced.call(ThrowingSupplier<Any, RuntimeException> { work.blocking() }) }

    @Benchmark
    fun repriseListener(work: Work, ours: Ours) =
        ending { ours.javaListened.call(ThrowingSupplier<Any, RuntimeException> { work.blocking() }) }

    @Benchmark
    fun repriseAdaptive(work: Work, ours: Ours) =
        ending { ours.javaAdaptive.call(ThrowingSupplier<Any, RuntimeException> { work.blocking() }) }

    @Benchmark
    fun repriseLimited(work: Work, ours: Ours) =
        ending { ours.javaLimited.call(ThrowingSupplier<Any, RuntimeException> { work.blocking() }) }

    @Benchmark
    fun resilience4j(work: Work, peer: Resilience4jPeer) = ending { peer.retry.executeSupplier { work.blocking() } }

    @Benchmark
    fun failsafe(work: Work, peer: FailsafePeer) = ending { peer.executor.get(CheckedSupplier { work.blocking() }) }

    @Benchmark
    fun springRetry(work: Work, peer: SpringPeer) =
        ending { peer.template.execute<Any, RuntimeException> { work.blocking() } }

    @Benchmark
    fun aws(work: Work, peer: AwsPeer) = ending { peer.call(peer.standard) { work.blocking() } }

    @Benchmark
    fun awsWithoutQuota(work: Work, peer: AwsPeer) = ending { peer.call(peer.withoutQuota) { work.blocking() } }

    @Benchmark
    fun awsAdaptive(work: Work, peer: AwsPeer) = ending { peer.call(peer.adaptive) { work.blocking() } }

    /** A call that gives up is not to end the benchmark. */
    private inline fun ending(call: () -> Any?): Any? = try {
        call()
    } catch (e: Failure) {
        e
    }
}
