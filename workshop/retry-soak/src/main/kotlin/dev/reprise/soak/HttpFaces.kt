package dev.reprise.soak

import dev.reprise.apachehttp.ApacheRetries
import dev.reprise.core.RetrierCache
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.okhttp.RetryInterceptor
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.apache.hc.client5.http.config.RequestConfig
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.core5.http.io.entity.EntityUtils
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.TimeUnit

/** As long as a whole call may take. No limit of a call covers a good body: only the client's own timeout does. */
private const val PATIENCE_MILLIS = 1_000L

internal class KtorFace : Face("Ktor, CIO") {
    override val usesJdk get() = false

    private val client = HttpClient(CIO) { install(Retry) { retriers = RetrierCache(1) { retrier } } }

    override fun make(call: Call) = inCoroutine(call) {
        val response = client.request("${call.uri}") {
            callOptions(call.options)
            if (call.isUnsafe) {
                method = HttpMethod.Post
                setBody("pay")
            }
        }
        response.bodyAsText()
    }

    override fun close() = client.close()
}

internal class HttpFace : Face("java.net.http") {
    private val client = RetryingHttpClient.around(Plain.client).retriers { java }.build()

    override fun make(call: Call) {
        client.send(call.request(), BodyHandlers.ofString())
    }
}

internal class HttpAsyncFace : Face("java.net.http, async") {
    private val client = RetryingHttpClient.around(Plain.client).retriers { java }.build()

    override fun make(call: Call) = untilDone(call, client.sendAsync(call.request(), BodyHandlers.ofString()))
}

internal class OkHttpFace : Face("OkHttp", mayBeCancelled = false) {
    override val usesJdk get() = false

    // OkHttp by itself repeats requests that fail on a kept connection, also a POST: see docs/okhttp.md.
    private val client =
        OkHttpClient
            .Builder()
            .readTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
            .retryOnConnectionFailure(false)
            .addInterceptor(RetryInterceptor(java))
            .build()

    override fun make(call: Call) {
        val request = Request.Builder().url(call.uri.toURL())
        if (call.isUnsafe) request.post("pay".toRequestBody())
        client.newCall(request.build()).execute().use { it.body.string() }
    }

    override fun close() {
        client.dispatcher.executorService.shutdown()
        client.connectionPool.evictAll()
    }
}

internal class ApacheFace : Face("Apache HttpClient", mayBeCancelled = false) {
    override val usesJdk get() = false

    private val patience = RequestConfig.custom().setResponseTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).build()
    private val client = ApacheRetries.of(java).addTo(HttpClients.custom().setDefaultRequestConfig(patience)).build()

    override fun make(call: Call) {
        val request = ClassicRequestBuilder.create(if (call.isUnsafe) "POST" else "GET").setUri(call.uri)
        if (call.isUnsafe) request.setEntity("pay")
        client.execute(request.build()) { EntityUtils.toString(it.entity) }
    }

    override fun close() = client.close()
}
