package dev.reprise.redis

import dev.reprise.coroutines.Retrier
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisException
import io.lettuce.core.RedisNoScriptException
import io.lettuce.core.ScriptOutputType
import io.lettuce.core.api.StatefulConnection
import io.lettuce.core.api.async.RedisScriptingAsyncCommands
import io.lettuce.core.cluster.RedisClusterClient
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.TimeUnit

/**
 * One connection of a client of the user's. It is made on a thread of its own, since Lettuce waits for it, and made
 * again when a command finds none; from then on Lettuce sees to it. Closing leaves the client open.
 */
internal class LettuceDoor private constructor(
    private val executor: ScheduledExecutorService,
    private val connect: () -> Opened,
) : Door {
    private class Opened(
        val commands: RedisScriptingAsyncCommands<String, String>,
        val connection: StatefulConnection<String, String>,
    )

    @Volatile
    private var opened: Opened? = null
    private var isConnecting = false
    private var isClosed = false

    override fun run(script: Script, keys: Array<String>, args: Array<String>): CompletionStage<List<String>> {
        val there = opened
        if (there == null || !there.connection.isOpen) {
            if (there == null) connectLater()
            return CompletableFuture.failedFuture(RedisException("not connected"))
        }
        val result = CompletableFuture<List<String>>()
        val command = there.commands.evalsha<List<String>>(script.sha, ScriptOutputType.MULTI, keys, *args)
        command.whenComplete { reply, failure ->
            if (failure !is RedisNoScriptException) {
                result.end(reply, failure)
            } else {
                // After a restart, a failover or SCRIPT FLUSH the server does not know the script.
                there.commands.eval<List<String>>(script.text, ScriptOutputType.MULTI, keys, *args)
                    .whenComplete { late, other -> result.end(late, other) }
            }
        }
        // A command whose caller no longer waits is not sent once Lettuce has a connection again.
        result.whenComplete { _, _ -> if (result.isCancelled) command.toCompletableFuture().cancel(false) }
        return result
    }

    private fun CompletableFuture<List<String>>.end(reply: List<String>?, failure: Throwable?) {
        if (reply != null) complete(reply) else completeExceptionally(failure ?: RedisException("no reply"))
    }

    /** When it is, and later, for those who talk through this door. */
    fun world(): World {
        connectLater()
        return World(Retrier.SYSTEM_CLOCK, Retrier.SYSTEM_DRAWS) { nanos, task ->
            try {
                executor.schedule(task, nanos, TimeUnit.NANOSECONDS)
            } catch (_: java.util.concurrent.RejectedExecutionException) {
                // The user's client is shut down, and with it all that could be done later.
            }
        }
    }

    @Synchronized
    private fun connectLater() {
        if (isConnecting || isClosed) return
        isConnecting = true
        Thread({ connectNow() }, "reprise-redis-connect").apply { isDaemon = true }.start()
    }

    private fun connectNow() {
        val made =
            try {
                connect()
            } catch (_: RuntimeException) {
                // The next command tries again.
                null
            }
        synchronized(this) {
            isConnecting = false
            if (!isClosed) opened = made
        }
        if (isClosed) made?.connection?.closeAsync()
    }

    @Synchronized
    override fun close() {
        isClosed = true
        opened?.connection?.closeAsync()
    }

    companion object {
        fun of(client: RedisClient): LettuceDoor = LettuceDoor(client.resources.eventExecutorGroup()) {
            client.connect().let { Opened(it.async(), it) }
        }

        fun of(client: RedisClusterClient): LettuceDoor = LettuceDoor(client.resources.eventExecutorGroup()) {
            client.connect().let { Opened(it.async(), it) }
        }
    }
}
