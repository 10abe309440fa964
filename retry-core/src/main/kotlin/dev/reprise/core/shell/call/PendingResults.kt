package dev.reprise.core.shell.call

import dev.reprise.core.shell.TypeCache
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.text.oneLine

/**
 * Logs once that calls of [retrier] end with a result whose own work they do not wait for, such as a future's or a flow's, or with a failed
 * [Result]: they pass for successes, and the failure is not retried. Safe for any number of threads.
 */
internal class PendingResults(private val retrier: String?) {
    // The type of a result that is not pending: most retriers have one. Written once, so that threads do not contend for it.
    private var usual: Class<*>? = null
    private var hasTold = false

    /** Looks at the accepted [result]. */
    fun look(result: Any?) {
        if (result != null && result.javaClass !== usual) look(result, PENDING[result.javaClass])
    }

    private fun look(result: Any, pending: String) {
        if (pending == NOT_PENDING) {
            if (usual == null) usual = result.javaClass
        } else if (!hasTold && !(result is Result<*> && result.isSuccess)) {
            hasTold = true
            val name = if (retrier == null) "" else "[${oneLine(retrier)}] "
            val why = if (result is Result<*>) {
                "which has failed: a failure inside a result is not retried"
            } else {
                "whose work is not part of the call: what fails in it is not retried"
            }
            WarningLog.tell(
                "${name}a retried call returned a $pending, $why. " +
                    "${cureOf(pending)}. If the call is to return it, give the policy an onResult that accepts it.",
            )
        }
    }
}

private const val NOT_PENDING = ""
private const val RESULT = "kotlin.Result"
private const val STAGE = "java.util.concurrent.CompletionStage"
private const val STATEMENT = "io.ktor.client.statement.HttpStatement"
private const val REST_CLIENT = "org.springframework.web.client.RestClient\$ResponseSpec"
private const val WEB_CLIENT = "org.springframework.web.reactive.function.client.WebClient\$ResponseSpec"

/** The pending type that a class is. Texts, so that a class keeps no other class loader. */
private val PENDING = TypeCache { type -> pendingIn(type) ?: NOT_PENDING }

/** By name, since the library has none of these but the JDK's; `null` if neither [type] nor what it extends is known. */
private fun pendingIn(type: Class<*>?): String? = when (val name = type?.name) {
    null, "java.lang.Object" -> null

    // Hot: its values come whether somebody collects it or not.
    "kotlinx.coroutines.flow.SharedFlow" -> NOT_PENDING

    STAGE, "java.util.concurrent.Future", "java.util.concurrent.Flow\$Publisher", "kotlinx.coroutines.Job",
    "kotlinx.coroutines.flow.Flow", "org.reactivestreams.Publisher", "okhttp3.Call", "retrofit2.Call",
    "io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
    "io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.ObservableSource",
    "io.smallrye.mutiny.Uni", "io.vertx.core.Future", STATEMENT, REST_CLIENT, WEB_CLIENT, RESULT,
    -> name

    else -> pendingIn(type.superclass) ?: pendingIn(type.interfaces)
}

/** The last one counts, since a `CompletableFuture` is a future and a stage; but a hot flow is never pending. */
private fun pendingIn(types: Array<Class<*>>): String? {
    var pending: String? = null
    for (type in types) {
        val each = pendingIn(type) ?: continue
        if (each == NOT_PENDING) return each
        pending = each
    }
    return pending
}

private fun cureOf(pending: String): String = when (pending) {
    "kotlinx.coroutines.flow.Flow" -> "Retry the flow itself, flow.retry(retrier), or collect it in the block"

    RESULT -> "Let exceptions leave the block, without runCatching, or end it with getOrThrow()"

    STAGE -> "Use callAsync in Java, await() in the block in Kotlin"

    "org.reactivestreams.Publisher" ->
        "Retry the publisher itself, with retry-reactor, or await its end in the block"

    "okhttp3.Call", "retrofit2.Call" -> "Execute it in the block, or retry the client, with retry-okhttp"

    STATEMENT -> "Execute it in the block, or retry the client, with retry-ktor"

    REST_CLIENT -> "It sends nothing until it is asked, as by toBodilessEntity() or body(...): do that in the block"

    WEB_CLIENT -> "Its Mono sends nothing until it is subscribed to: retry that, with retry-reactor"

    else -> "Wait for its end in the block"
}
