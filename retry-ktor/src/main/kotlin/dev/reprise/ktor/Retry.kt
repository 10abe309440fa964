package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpClientPlugin
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpSend
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.plugin
import io.ktor.client.plugins.pluginOrNull
import io.ktor.util.AttributeKey

/**
 * Retries the calls of a Ktor client. Needs no configuration: standard mode, requests that are safe to repeat, both
 * retry-after headers, a retry quota for each host and port.
 *
 * ```
 * val client = HttpClient(CIO) {
 *     install(Retry)
 *     install(HttpTimeout) { requestTimeoutMillis = 2_000 }
 * }
 * ```
 *
 * Plugins installed after it are part of each attempt, plugins installed before it see one call. The timeout above
 * limits one attempt; with the two lines exchanged it would limit the whole call, waits included, which is warned about once.
 *
 * A call ends as it would without the plugin: with the last attempt's response, or its own exception. The attempts are
 * in [retryReport] and in the exception's suppressed [RetryTrace][dev.reprise.core.RetryTrace]. A cancelled caller
 * stops at once, also in the middle of a wait. A streamed response is retried until its head is accepted, any other
 * until its body has arrived.
 *
 * Cannot be combined with [HttpRequestRetry]: attempts would multiply.
 */
public object Retry : HttpClientPlugin<RetryPluginConfig, RetryPlugin> {
    override val key: AttributeKey<RetryPlugin> by lazy {
        KtorVersion.check()
        AttributeKey("Reprise")
    }

    /** @throws IllegalArgumentException if the configuration contradicts itself */
    override fun prepare(block: RetryPluginConfig.() -> Unit): RetryPlugin =
        RetryPlugin(RetryPluginConfig().apply(block))

    /** @throws IllegalStateException if the client has [HttpRequestRetry] as well */
    override fun install(plugin: RetryPlugin, scope: HttpClient) {
        refuseOtherRetries(scope)
        plugin.isWithinTimeout = scope.pluginOrNull(HttpTimeout) != null
        // Plugins installed after this one are visible only when the client is complete: at its first request.
        val checked = lazy { refuseOtherRetries(scope) }
        scope.plugin(HttpSend).intercept { request ->
            checked.value
            plugin.execute(this, request)
        }
        leaveFailuresUnsaved(scope)
        Credentials.noteIn(scope)
        rememberBodies(scope)
        attachTraces(scope)
        if (scope.engine.config.javaClass.name == APACHE5) Apache5Cuts.install(scope)
    }
}

private fun refuseOtherRetries(client: HttpClient) = check(client.pluginOrNull(HttpRequestRetry) == null) {
    "a client must not have both Retry and HttpRequestRetry, their attempts would multiply: remove install(HttpRequestRetry)"
}

/** By name: no class of an engine is needed but those of the client's own. */
private const val APACHE5 = "io.ktor.client.engine.apache5.Apache5EngineConfig"
