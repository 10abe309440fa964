package dev.reprise.aws.java

import dev.reprise.build.WaitingSpec
import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.ApiCallTimeoutException
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** The caller gives up, in an attempt or in a wait, of any kind of client: nothing that was taken stays away. */
class CancelTest :
    WaitingSpec({
        for (face in Face.entries) {
            for (withHooks in listOf(true, false)) {
                val how = "$face, ${if (withHooks) "with the plugin" else "as a strategy"}"

                test("a wait that is cancelled gives back what its retry took: $how") {
                    Stage(face, withHooks, Reply(500)).use { stage ->
                        stage.start()
                        eventually(30.seconds) { stage.quota() shouldBe 486 }
                        stage.cancel()
                        stage.isWhole(withHooks)
                        if (!face.isAsync) stage.server.seen.size shouldBe 1
                    }
                }

                test("an attempt that is cancelled takes nothing: $how") {
                    val held = CountDownLatch(1)
                    Stage(face, withHooks, Reply.held(held)).use { stage ->
                        // No interrupt reaches a thread that reads from a socket: there the SDK's own limit aborts the call.
                        stage.start(if (face.isAsync) null else Duration.ofSeconds(1))
                        eventually(30.seconds) { stage.server.seen.size shouldBe 1 }
                        stage.cancel()
                        stage.isWhole(withHooks)
                        held.countDown()
                    }
                }
            }
        }

        test("a second attempt that is cancelled keeps what it paid: it was made") {
            val held = CountDownLatch(1)
            Stage(Face.NETTY, true, Reply(500), Reply.held(held), backoff = Duration.ZERO).use { stage ->
                stage.start()
                eventually(30.seconds) { stage.server.seen.size shouldBe 2 }
                stage.cancel()
                eventually(30.seconds) { stage.ends() shouldBe 1 }
                stage.quota() shouldBe 486
                held.countDown()
            }
        }
    })

/** One call of a client, in a thread of its own if it blocks. */
private class Stage(
    private val face: Face,
    withHooks: Boolean,
    vararg replies: Reply,
    // Of a future that is cancelled in a wait the SDK takes note when the wait is over.
    backoff: Duration = if (face.isAsync) Duration.ofSeconds(1) else Duration.ofMinutes(5),
) : AutoCloseable {
    private val events = CopyOnWriteArrayList<RetryEvent>()

    // Futures of DynamoDB's clients cannot be cancelled: what they do for endpoint discovery keeps it from the call.
    private val service = if (face.isAsync) Service.STS else Service.DYNAMODB
    val server = ScriptedServer(service.protocol, *replies)
    private val policy = RetryPolicy.builder().backoff(Backoff.fixed(backoff)).build()
    private val retrier = JavaRetrier.builder().policy(policy).listener(RetryListener { events += it }).build()
    private val strategy = RepriseRetryStrategy.sharing(retrier)
    private val client: SdkClient = face.client(service, server, if (withHooks) strategy.plugin() else null, strategy)
    private var future: CompletableFuture<*>? = null
    private var caller: Thread? = null
    private val thrown = AtomicReference<Throwable>()

    fun quota(): Int = strategy.retrier().retrier().quota!!.available

    fun ends(): Int = events.count { it is RetryEvent.CallCancelled }

    private var limit: Duration? = null

    fun start(limit: Duration? = null) {
        this.limit = limit
        if (face.isAsync) {
            future = service.call(client) as CompletableFuture<*>
        } else {
            caller = thread {
                thrown.set(
                    failureOf {
                        (client as DynamoDbClient).listTables { request ->
                            if (limit != null) request.overrideConfiguration { it.apiCallTimeout(limit) }
                        }
                    },
                )
            }
        }
    }

    fun cancel() {
        future?.cancel(true)
        // Nothing may hold the token any more, or it would never be found unreachable.
        future = null
        if (limit == null) caller?.interrupt()
        caller?.join(10_000)
        if (face.isAsync) return
        if (limit == null) thrown.get().shouldBeInstanceOf<AbortedException>()
        if (limit != null) thrown.get().shouldBeInstanceOf<ApiCallTimeoutException>()
    }

    suspend fun isWhole(atOnce: Boolean) = eventually(if (atOnce) 5.seconds else 1.minutes) {
        if (!atOnce) System.gc()
        quota() shouldBe 500
        ends() shouldBe 1
        events.count { it is RetryEvent.CallStarted } shouldBe 1
    }

    override fun close() {
        client.close()
        server.close()
    }
}
