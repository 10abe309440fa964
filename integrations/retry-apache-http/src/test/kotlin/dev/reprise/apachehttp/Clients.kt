package dev.reprise.apachehttp

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.faults.Certificates
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Kind
import org.apache.hc.client5.http.classic.HttpClient
import org.apache.hc.client5.http.config.RequestConfig
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.hc.core5.http.ContentType
import org.apache.hc.core5.http.HttpEntity
import org.apache.hc.core5.http.io.entity.ByteArrayEntity
import org.apache.hc.core5.http.io.entity.EntityUtils
import org.apache.hc.core5.http.io.entity.InputStreamEntity
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder
import org.apache.hc.core5.http.protocol.HttpContext
import org.apache.hc.core5.util.Timeout
import java.net.URI

internal fun quickPolicy(change: RetryPolicyBuilder.() -> Unit = {}): RetryPolicy = RetryPolicy.HTTP.with {
    noBackoff()
    noQuota()
    change()
}

/** Retries without waits and quota. */
internal fun quickly(change: RetryPolicyBuilder.() -> Unit = {}): ApacheRetries =
    ApacheRetries.builder().policy(quickPolicy(change)).build()

/** A client with these retries, whose pool has [most] connections. */
internal fun ApacheRetries.client(most: Int = 8, change: HttpClientBuilder.() -> Unit = {}): CloseableHttpClient {
    val pool = PoolingHttpClientConnectionManagerBuilder.create()
        .setTlsSocketStrategy(DefaultClientTlsStrategy(Certificates.clientContext()))
        .setMaxConnTotal(most).setMaxConnPerRoute(most)
        .build()
    val config = RequestConfig.custom().setConnectionRequestTimeout(Timeout.ofSeconds(20)).build()
    val builder = HttpClients.custom().setConnectionManager(pool).setDefaultRequestConfig(config)
    return addTo(builder.apply(change)).build()
}

/** What the caller got: status, body and report. */
internal class Got(response: ClassicHttpResponse) {
    val status: Int = response.code
    val report = response.retryReport
    val body: String = response.entity?.let(EntityUtils::toString).orEmpty()
}

internal fun HttpClient.got(request: ClassicHttpRequest, context: HttpContext? = null): Got =
    execute(request, context) { Got(it) }

internal fun HttpClient.get(server: FaultServer): Got = got(request("GET", server.uri()))

/** A request with what its [method] may have for a body. */
internal fun request(method: String, uri: URI, body: HttpEntity? = null): ClassicHttpRequest =
    ClassicRequestBuilder.create(method).setUri(uri).setEntity(body).build()

internal fun entity(text: String): HttpEntity = ByteArrayEntity(text.toByteArray(), ContentType.TEXT_PLAIN)

/** A body that can be read once. */
internal fun oneShot(text: String): HttpEntity =
    InputStreamEntity(text.byteInputStream(), text.length.toLong(), ContentType.TEXT_PLAIN)

internal fun requestOf(kind: Kind, uri: URI): ClassicHttpRequest = when (kind) {
    Kind.GET -> request(kind.method(), uri)
    Kind.POST -> request(kind.method(), uri, entity(kind.payload(uri)))
    Kind.ONE_SHOT_PUT -> request(kind.method(), uri, oneShot(kind.payload(uri)))
}
