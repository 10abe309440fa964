package dev.reprise.aws.java

import dev.reprise.core.shell.call.RetryCall
import dev.reprise.coroutines.SendRateLine
import dev.reprise.coroutines.acquireAsync
import dev.reprise.coroutines.acquireBlocking
import dev.reprise.coroutines.giveBack
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
    fun blocking(of: AwsCall) {
        try {
            line.acquireBlocking(call)
        } catch (e: InterruptedException) {
            Thread.currentThread().interrupt()
            of.ends(e)
            throw AbortedException.create("Thread was interrupted while it waited for a send permit.", e)
        } catch (e: Throwable) {
            // A clock or a waiter is code of others.
            of.ends(e)
            throw e
        }
    }

    /** Waits for the permit of [of] without a thread. The future is complete already if the permit is there. */
    fun async(of: AwsCall): CompletableFuture<Void> {
        val permit = line.acquireAsync(call)
        if (!of.waitsFor(permit)) permit.cancel(true)
        return permit.handle { waited, failure ->
            if (failure == null) {
                of.permitCame(this, waited)
            } else {
                of.ends(failure)
                throw if (failure is CompletionException) failure else CompletionException(failure)
            }
            null
        }
    }

    fun report(waited: Long) = line.report(waited, call)

    fun giveBack(waited: Long) = line.giveBack(waited)
}
