package dev.reprise.ktor.server

import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.server.application.install
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import java.io.IOException
import kotlin.time.Duration.Companion.hours

/** A handler that is cancelled in the wait of a call. */
class CancelledTest :
    FunSpec({
        test("a handler that is cancelled in a wait ends its call there, and later requests are served as before") {
            Chain().use { chain ->
                val handler = CompletableDeferred<Job>()
                val waits = CompletableDeferred<Unit>()
                val ended = CompletableDeferred<RetryEvent.CallCancelled>()
                val retrier = Retrier(RetryPolicy { backoff = Backoff.fixed(1.hours) }) {
                    listener {
                        if (it is RetryEvent.RetryScheduled) waits.complete(Unit)
                        if (it is RetryEvent.CallCancelled) ended.complete(it)
                    }
                }
                val leaf = chain.leaf()
                val client = chain.client { maxAttempts = 1 }
                val url = chain.server({ install(RetryUpstream) }) { call ->
                    if (handler.complete(currentCoroutineContext().job)) retrier<Unit> { throw IOException("reset") }
                    call.passOn(client.ask(leaf))
                }

                coroutineScope {
                    val asks = launch(Dispatchers.IO) { runCatching { client.ask(url) } }
                    waits.await()
                    handler.await().cancel()
                    ended.await().attempts shouldBe 1
                    asks.cancel()
                }

                retrier.quota!!.available shouldBe retrier.quota!!.capacity
                client.ask(url).status.value shouldBe 503
                chain.atLeaf.size shouldBe 1
            }
        }
    })
