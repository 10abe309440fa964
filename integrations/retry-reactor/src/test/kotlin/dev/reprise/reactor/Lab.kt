package dev.reprise.reactor

import dev.reprise.core.NanoClock
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierBuilder
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import reactor.core.publisher.Mono
import reactor.test.StepVerifier
import reactor.test.scheduler.VirtualTimeScheduler
import java.io.IOException
import java.util.concurrent.TimeUnit

/** A retrier in the time of `StepVerifier.withVirtualTime`, whose calls are recorded and whose delays are the longest. */
internal class Lab(policy: RetryPolicy = RetryPolicy.STANDARD, settings: RetrierBuilder.() -> Unit = {}) {
    /** The time of the call that runs or ran last. */
    var time: VirtualTimeScheduler = VirtualTimeScheduler.create()
        private set
    val recorder = Recorder()
    val retrier = Retrier(policy) {
        listener(recorder)
        clock = NanoClock { time.now(TimeUnit.NANOSECONDS) }
        draws = VirtualTime.LONGEST
        settings()
    }

    /** How many attempts have begun. */
    var attempts = 0
        private set

    /** Counts an attempt, and returns its number. */
    fun begins(): Int = ++attempts

    /** Fails [failures] times, then gives the number of the attempt. */
    fun failing(failures: Int): Mono<Int> = Mono.fromCallable {
        if (begins() <= failures) throw IOException("attempt $attempts") else attempts
    }

    /** What [mono] does in virtual time. */
    fun <T : Any> verify(mono: () -> Mono<T>): StepVerifier.FirstStep<T> =
        StepVerifier.withVirtualTime { inTime(mono()) }

    /** [publisher], in the virtual time that has just begun. */
    fun <P> inTime(publisher: P): P {
        time = VirtualTimeScheduler.get()
        return publisher
    }
}
