package dev.reprise.conformance

import dev.reprise.core.Attempt
import dev.reprise.coroutines.Retrier
import dev.reprise.reactor.MonoAttempt
import dev.reprise.reactor.flux
import dev.reprise.reactor.outcome
import dev.reprise.test.VirtualTime
import reactor.core.Disposable
import reactor.core.publisher.Mono
import reactor.core.scheduler.Scheduler
import reactor.core.scheduler.Schedulers
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

/** Reactor's timers in virtual time. */
internal open class VirtualScheduler(private val time: VirtualTime) : Scheduler {
    override fun schedule(task: Runnable): Disposable = after(0, task)

    override fun schedule(task: Runnable, delay: Long, unit: TimeUnit): Disposable = after(unit.toNanos(delay), task)

    private fun after(nanos: Long, task: Runnable): Disposable {
        val timer = time.after(Duration.ofNanos(nanos), task)
        return Disposable { timer.run() }
    }

    override fun createWorker(): Scheduler.Worker = Schedulers.fromExecutor(time.executor).createWorker()
}

/** The attempts of [call] as monos. */
private class ScriptedMonos(private val call: ScriptedCall, private val scheduler: Scheduler) : MonoAttempt<Any>() {
    override fun make(attempt: Attempt): Mono<Any> = call.next().asMono(scheduler)

    override fun mayRepeat(): Boolean = call.mayRepeat
}

private fun Step.asMono(scheduler: Scheduler): Mono<Any> {
    val given = Mono.fromCallable<Any> { give() }
    return if (takesNanos == 0L) given else Mono.delay(Duration.ofNanos(takesNanos), scheduler).then(given)
}

data object MonoFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val scheduler = VirtualScheduler(time)
        val end = retrier.outcome(ScriptedMonos(call, scheduler), call.options, scheduler).toFuture()
        return Ended.of(time.join(end), call.begun)
    }
}

/** A flux of one element. */
data object FluxFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val scheduler = VirtualScheduler(time)
        val end: CompletableFuture<Any?> =
            retrier.flux(call.options, scheduler) { call.next().asMono(scheduler).flux() }.last().toFuture()
        return Ended.of(end, call, time)
    }
}
