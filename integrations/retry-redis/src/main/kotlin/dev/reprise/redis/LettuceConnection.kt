package dev.reprise.redis

import dev.reprise.coroutines.Retrier
import io.lettuce.core.AbstractRedisClient
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisCommandTimeoutException
import io.lettuce.core.RedisNoScriptException
import io.lettuce.core.ScriptOutputType
import io.lettuce.core.api.StatefulConnection
import io.lettuce.core.api.async.RedisScriptingAsyncCommands
import io.lettuce.core.cluster.RedisClusterClient
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.TimeUnit

/**
 * One connection of a client of the user's. It is opened, and the script loaded, at once and on a thread of its own, since
 * Lettuce waits for it. A command that finds it lost, silent, or at a server that has become a replica opens another one. Of
 * several that are being opened the first counts. Closing leaves the client open.
 */
internal class LettuceConnection private constructor(
    private val executor: ScheduledExecutorService,
    private val script: Script,
    private val connect: () -> Link,
) : FleetConnection {
    private var triedAt = 0L
    private var link = CompletableFuture.failedFuture<Link>(IllegalStateException("closed"))
    private var isClosed = false

    val environment = Environment(Retrier.SYSTEM_CLOCK, Retrier.SYSTEM_DRAWS) { nanos, task ->
        try {
            executor.schedule(task, nanos, TimeUnit.NANOSECONDS)
        } catch (_: RejectedExecutionException) {
            // The user's client is shut down, and with it all that could be done later.
        }
    }

    override val opened: CompletionStage<*> = usable()

    override fun run(keys: Array<String>, args: Array<String>): CompletionStage<List<String>> =
        usable().thenCompose { it.run(script, keys, args) }

    @Synchronized
    private fun usable(): CompletableFuture<Link> {
        val now = System.nanoTime()
        val isUsable = if (link.isDone) isOpen(now) else now - triedAt < PATIENCE
        if (isUsable || isClosed) return link
        // One that is still being opened goes on: where each takes long, such as past a dead sentinel, the next would be no faster.
        if (link.isDone) {
            drop()
            link = CompletableFuture()
        }
        val next = link
        triedAt = now
        Thread({ open(next) }, "reprise-redis-connect").apply { isDaemon = true }.start()
        return next
    }

    private fun isOpen(now: Long) = !link.isCompletedExceptionally && link.join().isUsable(now)

    private fun open(next: CompletableFuture<Link>) {
        try {
            val opened = connect().apply { load(script) }
            if (!next.complete(opened)) opened.connection.closeAsync()
        } catch (e: Throwable) {
            // Also an Error: a mixture of Netty's versions shows here first.
            next.completeExceptionally(e)
        }
    }

    private fun drop() {
        link.thenAccept { it.connection.closeAsync() }
    }

    @Synchronized
    override fun close() {
        if (!isClosed) drop()
        isClosed = true
    }

    private class Link(
        val connection: StatefulConnection<String, String>,
        private val commands: RedisScriptingAsyncCommands<String, String>,
    ) {
        @Volatile
        private var unansweredSince: Long? = null

        /** Whether the server is a replica now. If its name stands for the new master, only a new connection leads there. */
        @Volatile
        private var isReplica = false

        fun isUsable(now: Long) = connection.isOpen && !isReplica && unansweredSince?.let { now - it < SILENCE } ?: true

        /** Takes the costs of a first command, also where loading is not allowed. */
        fun load(script: Script) = try {
            commands.scriptLoad(script.text).toCompletableFuture().get(PATIENCE, TimeUnit.NANOSECONDS)
        } catch (_: Exception) {
            // The first command loads it.
        }

        fun run(script: Script, keys: Array<String>, args: Array<String>): CompletionStage<List<String>> {
            if (unansweredSince == null) unansweredSince = System.nanoTime()
            return commands.evalsha<List<String>>(script.sha, ScriptOutputType.MULTI, keys, *args)
                .handle { reply, failure ->
                    // A time limit of the user's client is no answer.
                    if (failure !is RedisCommandTimeoutException) unansweredSince = null
                    when (failure) {
                        null -> CompletableFuture.completedFuture(reply)

                        // After a restart, a failover or SCRIPT FLUSH the server does not know the script.
                        is RedisNoScriptException ->
                            commands.eval(script.text, ScriptOutputType.MULTI, keys, *args)

                        else -> CompletableFuture.failedFuture<List<String>>(failure)
                    }
                }.thenCompose { it }
                // Before Redis 7 the word stands within the script's error.
                .whenComplete { _, failure -> if ("READONLY" in "$failure") isReplica = true }
        }
    }

    companion object {
        /** An attempt to connect that has lasted so long, in ns, is followed by another. */
        private const val PATIENCE = 2_000_000_000L

        /** A connection is silent that has left a command unanswered for so long, in ns. */
        private const val SILENCE = 1_000_000_000L

        fun of(client: AbstractRedisClient, script: Script): LettuceConnection =
            LettuceConnection(client.resources.eventExecutorGroup(), script) {
                if (client is RedisClusterClient) {
                    client.connect().let { Link(it, it.async()) }
                } else {
                    (client as RedisClient).connect().let { Link(it, it.async()) }
                }
            }
    }
}
