package dev.reprise.benchmarks

import dev.failsafe.function.CheckedSupplier
import dev.reprise.java.StageSupplier
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors

/** The asynchronous face, where every attempt has ended when it is seen. */
open class FutureBenchmark {
    @Benchmark
    fun floor(work: Work): CompletableFuture<Any> = handWrittenFuture(ATTEMPTS) { work.future() }

    @Benchmark
    fun reprise(work: Work, ours: Ours): CompletableFuture<Any> = ours.java.callAsync(StageSupplier { work.future() })

    @Benchmark
    fun repriseTrace(work: Work, ours: Ours): CompletableFuture<Any> =
        ours.javaTraced.callAsync(StageSupplier { work.future() })

    @Benchmark
    fun repriseListener(work: Work, ours: Ours): CompletableFuture<Any> =
        ours.javaListened.callAsync(StageSupplier { work.future() })

    @Benchmark
    fun repriseAdaptive(work: Work, ours: Ours): CompletableFuture<Any> =
        ours.javaAdaptive.callAsync(StageSupplier { work.future() })

    @Benchmark
    fun repriseLimited(work: Work, ours: Ours): CompletableFuture<Any> =
        ours.javaLimited.callAsync(StageSupplier { work.future() })

    @Benchmark
    fun resilience4j(work: Work, peer: Resilience4jPeer, scheduler: Scheduler): CompletableFuture<Any> =
        peer.retry.executeCompletionStage(scheduler.executor) { work.future() }.toCompletableFuture()

    @Benchmark
    fun failsafe(work: Work, peer: FailsafePeer): Any? = try {
        peer.executor.getStageAsync(CheckedSupplier { work.future() }).join()
    } catch (e: RuntimeException) {
        e
    }
}

/** A scheduler that some peers need, even if they wait for nothing. */
@State(Scope.Benchmark)
open class Scheduler {
    val executor = Executors.newSingleThreadScheduledExecutor()

    @TearDown
    fun stop() {
        executor.shutdownNow()
    }
}
