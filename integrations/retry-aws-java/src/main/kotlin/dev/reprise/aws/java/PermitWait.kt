package dev.reprise.aws.java

import dev.reprise.core.shell.call.RetryCall
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.acquireAsync
import dev.reprise.coroutines.shell.acquireBlocking
import dev.reprise.coroutines.shell.giveBack
import software.amazon.awssdk.core.exception.AbortedException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException

/** A place in the line for send permits that [call] wants. */
internal class PermitWait(private val line: SendRateLine, private val call: RetryCall) {
    /**
     * Waits for the permit of [of] on this thread.
     *
     * @throws AbortedException when the thread is interrupted; its interrupt status is set again
     */
    fun blocking(of: AwsCall): Unit = interruptibly(of, "a send permit") { line.acquireBlocking(call) }

    /** Waits for the permit of [of] without a thread. The future is complete already if the permit is there. */
    fun async(of: AwsCall): CompletableFuture<Void> {
        val permit = line.acquireAsync(call)
        if (!of.waitsFor(permit)) permit.cancel(true)
        return permit.handle { waited, failure ->
            if (failure == null) return@handle null.also { of.permitCame(this, waited) }
            of.ends(failure)
            throw if (failure is CompletionException) failure else CompletionException(failure)
        }
    }

    fun report(waited: Long) = line.report(waited, call)

    fun giveBack(waited: Long) = line.giveBack(waited)
}
