package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpRequestRetryConfig

internal const val URL = "http://localhost/"

/** A client with Ktor's own plugin, its waits and its requests. */
internal class KtorsOwn(handler: Handler, configure: HttpRequestRetryConfig.() -> Unit = {}) {
    val waits = mutableListOf<Long>()
    var requests = 0

    val http = HttpClient(MockEngine) {
        engine {
            addHandler {
                requests++
                handler(it)
            }
        }
        install(HttpRequestRetry) {
            configure()
            delay { waits += it }
        }
    }
}
