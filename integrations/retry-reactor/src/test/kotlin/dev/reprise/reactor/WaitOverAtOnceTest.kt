package dev.reprise.reactor

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainOnly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import reactor.core.Disposable
import reactor.core.publisher.Mono
import reactor.core.scheduler.Scheduler
import reactor.core.scheduler.Schedulers
import java.io.IOException
import java.util.Collections
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** Every wait ends within the call that begins it, and what it asks for is done: as after a pause of the thread that begins it. */
private class AtOnce(private val scheduler: Scheduler) : Scheduler by scheduler {
    override fun schedule(task: Runnable, delay: Long, unit: TimeUnit): Disposable {
        val end = CompletableFuture<Unit>()
        val timer = scheduler.schedule {
            task.run()
            end.complete(Unit)
        }
        end.join()
        return timer
    }
}

class WaitOverAtOnceTest :
    FunSpec({
        test(
            "an attempt after a wait is subscribed on the scheduler, also if the wait is over before its beginner has gone on",
        ) {
            val scheduler = Schedulers.fromExecutorService(Executors.newFixedThreadPool(2) { Thread(it, "mine") })
            val threads = Collections.synchronizedList(mutableListOf<String>())
            val source = Mono.fromCallable {
                threads += Thread.currentThread().name
                if (threads.size < 20) throw IOException("reset")
                "done"
            }
            val policy = RetryPolicy {
                maxAttempts = 20
                quota = null
            }
            try {
                source.retry(Retrier(policy), scheduler = AtOnce(scheduler)).block() shouldBe "done"
            } finally {
                scheduler.dispose()
            }
            threads shouldHaveSize 20
            threads.drop(1) shouldContainOnly listOf("mine")
        }
    })
