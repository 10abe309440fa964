package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpSendPipeline
import io.ktor.http.HttpHeaders
import io.ktor.util.AttributeKey

/**
 * The credentials that a call's requests were sent with last. `Auth` inside of an attempt refreshes them on a copy of its own:
 * without this the next attempt would send the old token, be refused once more and refresh a second time.
 */
internal class Credentials {
    private class Sent(val host: String, val value: String)

    @Volatile
    private var last: Sent? = null

    private fun note(sent: HttpRequestBuilder) {
        sent.headers[HttpHeaders.Authorization]?.let { last = Sent(sent.url.host, it) }
    }

    /** Has [next], a request of the call, bring what the one before it was sent with, if it brings credentials to that host. */
    fun giveTo(next: HttpRequestBuilder) {
        next.attributes.put(KEY, this)
        val sent = last ?: return
        if (HttpHeaders.Authorization in next.headers && next.url.host == sent.host) {
            next.headers[HttpHeaders.Authorization] = sent.value
        }
    }

    companion object {
        private val KEY = AttributeKey<Credentials>("RepriseCredentials")

        /** Notes the credentials of each request of [client] as it is sent. */
        fun noteIn(client: HttpClient) = client.sendPipeline.intercept(HttpSendPipeline.Before) {
            context.attributes.getOrNull(KEY)?.note(context)
        }
    }
}
