package dev.reprise.core.shell.call

import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.text.oneLine

/**
 * Logs once that calls of [retrier] end with a result whose own work is still to end or to begin, such as a future: they pass for
 * successes, and the failure that comes later is not retried. Safe for any number of threads.
 */
internal class PendingResults(private val retrier: String?) {
    // The type of a result that has ended: most retriers have one. Written once, so that threads do not take it from each other.
    private var usual: Class<*>? = null
    private var hasTold = false

    /** Looks at the accepted [result]. */
    fun look(result: Any?) {
        if (result != null && result.javaClass !== usual) look(result.javaClass)
    }

    private fun look(type: Class<*>) {
        val pending = PendingType.of(type)
        if (pending == null) {
            if (usual == null) usual = type
        } else if (!hasTold) {
            hasTold = true
            val name = if (retrier == null) "" else "[${oneLine(retrier)}] "
            WarningLog.tell(
                "${name}a retried call returned a ${pending.type}, whose work has not ended: what fails later is not " +
                    "retried. ${pending.cure}. If the call is to return it, give the policy an onResult that accepts it.",
            )
        }
    }
}

/** A type of results that are pending, by [name][type], since the library has none of them, and what its user means to write. */
private enum class PendingType(val type: String, val cure: String) {
    SHARED_FLOW("kotlinx.coroutines.flow.SharedFlow", ""),
    FLOW("kotlinx.coroutines.flow.Flow", "Retry the flow itself, flow.retry(retrier), or collect it in the block"),
    JOB("kotlinx.coroutines.Job", "Wait in the block, as with await() or join()"),
    STAGE("java.util.concurrent.CompletionStage", "Use callAsync in Java, await() in the block in Kotlin"),
    FUTURE("java.util.concurrent.Future", "Wait for it in the block"),
    PUBLISHER(
        "org.reactivestreams.Publisher",
        "Retry the publisher itself, with retry-reactor, or wait for it in the block",
    ),
    JDK_PUBLISHER("java.util.concurrent.Flow\$Publisher", "Wait for its end in the block"),
    OKHTTP_CALL("okhttp3.Call", "Execute it in the block, or retry the client, with retry-okhttp"),
    RETROFIT_CALL("retrofit2.Call", "Execute it in the block, or retry the client, with retry-okhttp"),
    ;

    companion object {
        // Values are of the JDK's and ours: a class keeps no other loader by them.
        private val known = object : ClassValue<String>() {
            override fun computeValue(type: Class<*>): String {
                val names = names(type).toSet()
                val found = entries.firstOrNull { it.type in names }
                return if (found == null || found == SHARED_FLOW) "" else found.name
            }
        }

        fun of(type: Class<*>): PendingType? = known.get(type).let { if (it.isEmpty()) null else valueOf(it) }

        private fun names(type: Class<*>): Sequence<String> =
            sequenceOf(type.name) + (listOfNotNull(type.superclass) + type.interfaces).asSequence().flatMap(::names)
    }
}
