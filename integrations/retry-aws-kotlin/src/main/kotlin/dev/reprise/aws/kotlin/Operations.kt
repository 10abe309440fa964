@file:OptIn(InternalApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.telemetry.logging.LoggingContextElement
import dev.reprise.core.CallOptions
import java.util.concurrent.ConcurrentHashMap
import kotlin.coroutines.CoroutineContext

/** The operations of a client: their names, and the long polls among them. Thread-safe. */
internal class Operations(added: Set<String>) {
    val longPolls: Set<String> = LONG_POLLS + added
    private val options = ConcurrentHashMap<String, CallOptions>()

    /** The options of a call in [context], where the SDK keeps the operation's name for its log. */
    fun optionsOf(context: CoroutineContext): CallOptions {
        val name = context[LoggingContextElement]?.kvPairs?.get(NAME_IN_LOG) as? String ?: return CallOptions.DEFAULT
        return options[name] ?: optionsOf(name)
    }

    private fun optionsOf(name: String): CallOptions {
        val made = CallOptions {
            operation = name
            longPolling = name in longPolls
        }
        if (options.size < MOST) options[name] = made
        return made
    }
}

/** `Service.Operation`, in the SDK's log context since 1.0. */
private const val NAME_IN_LOG = "rpc"

/** More than any service has; a client that makes names up does not fill the memory. */
private const val MOST = 1_000

/** The operations that wait at the service for work. */
private val LONG_POLLS =
    setOf("SQS.ReceiveMessage", "SFN.GetActivityTask", "SWF.PollForActivityTask", "SWF.PollForDecisionTask")
