package dev.reprise.conformance.faults

import dev.reprise.conformance.VirtualScheduler
import dev.reprise.core.Attempt
import dev.reprise.reactor.MonoAttempt
import dev.reprise.reactor.flux
import dev.reprise.reactor.mono
import dev.reprise.reactor.outcome
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.Disposable
import reactor.core.publisher.Hooks
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.nanoseconds

/** A subscriber to a mono in this world. */
internal fun World.subscribed(): CompletableFuture<*> {
    val scheduler = WorldScheduler(this)
    val work = Monos(this)
    return if (plan.asOutcome) {
        retrier.outcome(work, options, scheduler).toFuture()
    } else {
        retrier.mono(work, options, scheduler).toFuture()
    }
}

/** A subscriber to a flux of one element. */
internal fun World.collected(): CompletableFuture<*> {
    val work = Monos(this)
    return retrier.flux(options, WorldScheduler(this)) { work.make(it).flux() }.last().toFuture()
}

/** A scheduler whose every use may break. Each of its threads runs users' code. */
private class WorldScheduler(private val world: World) : VirtualScheduler(world.time) {
    override fun schedule(task: Runnable): Disposable {
        world.saboteur.use(Site.EXECUTOR)
        return super.schedule(task)
    }

    override fun schedule(task: Runnable, delay: Long, unit: TimeUnit): Disposable {
        world.saboteur.use(Site.TIMER)
        val isThere = AtomicInteger(1)
        val over = { world.timers.addAndGet(-isThere.getAndSet(0)) }
        world.timers.incrementAndGet()
        val timer = super.schedule(
            {
                over()
                task.run()
            },
            delay,
            unit,
        )
        return Disposable {
            world.saboteur.use(Site.TIMER_CANCEL)
            timer.dispose()
            over()
        }
    }
}

/** Attempts as monos, some of which do not care for being cancelled. */
private class Monos(private val world: World) : MonoAttempt<Any>() {
    override fun make(attempt: Attempt): Mono<Any> = Source(world, world.begins(attempt.number))

    override fun discard(result: Any, context: reactor.util.context.Context): Mono<Void> {
        world.results.discarded(result)
        world.saboteur.use(Site.DISCARD)
        return Mono.empty()
    }
}

private class Source(private val world: World, private val step: Step) : Mono<Any>() {
    private companion object {
        init {
            // The plan has sources that fail when they are cancelled; Reactor would log each.
            Hooks.onErrorDropped { }
        }
    }

    override fun subscribe(actual: CoreSubscriber<in Any>) {
        val given = Given(actual)
        actual.onSubscribe(given)
        if (step.takesNanos == 0L) {
            given.end()
        } else {
            given.timer = world.time.after(step.takesNanos.nanoseconds) { given.end() }
        }
    }

    private inner class Given(private val actual: CoreSubscriber<in Any>) : Subscription {
        var timer = Runnable { }

        fun end() {
            if (step.throws) return actual.onError(ScriptedFailure(step.verdict))
            actual.onNext(world.results.make(step.verdict))
            actual.onComplete()
        }

        override fun request(n: Long) = Unit

        override fun cancel() {
            world.saboteur.use(Site.STAGE_CANCEL)
            when (step.answer) {
                Answer.RETHROW, Answer.RESTORE -> timer.run()

                Answer.OWN_FAILURE -> {
                    timer.run()
                    actual.onError(ScriptedFailure(step.verdict))
                }

                // It goes on, and ends when it would have ended.
                Answer.VALUE -> Unit
            }
        }
    }
}
