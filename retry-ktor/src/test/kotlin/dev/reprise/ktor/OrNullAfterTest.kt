package dev.reprise.ktor

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.currentTime
import java.io.IOException
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class)
class OrNullAfterTest :
    FunSpec({
        test("what ends at once starts no timer") {
            val timers = Timers()
            runBlocking(timers) {
                orNullAfter(1.seconds) { 5 } shouldBe 5
                shouldThrow<IOException> { orNullAfter(1.seconds) { throw IOException("broken") } }.message shouldBe
                    "broken"
                timers.started shouldBe 0
                val gate = CompletableDeferred<Int>()
                val later = async(start = CoroutineStart.UNDISPATCHED) { orNullAfter(1.seconds) { gate.await() } }
                timers.started shouldBe 1
                gate.complete(6)
                later.await() shouldBe 6
            }
        }

        virtual("what takes longer than the limit is cancelled, and null") {
            var isCancelled = false
            orNullAfter(2.seconds) {
                try {
                    awaitCancellation()
                } finally {
                    isCancelled = true
                }
            } shouldBe null
            isCancelled shouldBe true
            currentTime shouldBe 2_000
        }

        virtual("what ends within the limit is the result, or thrown") {
            orNullAfter(2.seconds) {
                delay(1.seconds)
                7
            } shouldBe 7
            shouldThrow<IOException> {
                orNullAfter(2.seconds) {
                    delay(1.seconds)
                    throw IOException("late")
                }
            }.message shouldBe "late"
            currentTime shouldBe 2_000
        }

        virtual("a cancelled caller cancels the block, and gets no null") {
            var seen: Any? = "nothing"
            coroutineScope {
                val caller = launch {
                    seen = try {
                        orNullAfter(2.seconds) { awaitCancellation() }
                    } catch (e: CancellationException) {
                        e
                    }
                }
                launch { caller.cancel(CancellationException("enough")) }
            }
            (seen as CancellationException).message shouldBe "enough"
        }
    })

/** Runs everything where it is dispatched, and counts the timers that are asked for. */
@OptIn(InternalCoroutinesApi::class)
private class Timers :
    CoroutineDispatcher(),
    Delay {
    var started = 0

    override fun dispatch(context: CoroutineContext, block: Runnable) = block.run()

    override fun scheduleResumeAfterDelay(timeMillis: Long, continuation: CancellableContinuation<Unit>) {
        started++
    }

    override fun invokeOnTimeout(timeMillis: Long, block: Runnable, context: CoroutineContext): DisposableHandle {
        started++
        return DisposableHandle { }
    }
}
