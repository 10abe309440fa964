package dev.reprise.apachehttp

import dev.reprise.faults.Twins
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.hc.client5.http.auth.AuthScope
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.core5.http.io.entity.EntityUtils

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest :
    FunSpec({
        fun builder(): HttpClientBuilder {
            val credentials = BasicCredentialsProvider()
            credentials.setCredentials(AuthScope(null, -1), UsernamePasswordCredentials("a", "b".toCharArray()))
            return HttpClients.custom().disableAutomaticRetries().setDefaultCredentialsProvider(credentials)
        }

        fun twin(client: CloseableHttpClient) = Twins.Client { asked, uri ->
            val body = entity(asked.body).takeIf { asked.body.isNotEmpty() }
            client.execute(request(asked.method, uri, body)) { response ->
                val text = response.entity?.let(EntityUtils::toByteArray)?.toString(Charsets.ISO_8859_1)
                "${response.code} ${response.reasonPhrase} ${response.headers.asList()} $text"
            }
        }

        test("with and without Reprise alike") {
            Twins.differences(twin(builder().build()), twin(quickly().addTo(builder()).build())) shouldBe ""
        }
    })
