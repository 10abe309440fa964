package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Twins
import dev.reprise.spring.webclient.Connector
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientResponseException

/** Without the packing and the length of a body, which Jetty changes on another thread. */
private fun textOf(status: Int, headers: HttpHeaders?, body: ByteArray?): String {
    val told = headers?.headerSet().orEmpty().filter { it.key !in BY_CHANCE }
    return "$status ${told.map { "${it.key}=${it.value}" }} ${body?.toString(Charsets.ISO_8859_1).orEmpty()}"
}

private val BY_CHANCE = setOf(HttpHeaders.CONTENT_ENCODING, HttpHeaders.CONTENT_LENGTH)

/** Jetty asks for another request while a body is being written, and loses the bodies of 401 and 407: bare, of two in five beside busy threads. */
private fun byChance(client: Enum<*>) = { exchange: String, asked: Twins.Asked ->
    client.name == "JETTY" &&
        ("challenge" in exchange || (asked.body.isNotEmpty() && exchange.startsWith("a redirect")))
}

private fun RestClient.twin() = Twins.Client { asked, uri ->
    val request = method(HttpMethod.valueOf(asked.method)).uri(uri)
    if (asked.body.isNotEmpty()) request.body(asked.body)
    try {
        val response = request.retrieve().toEntity(ByteArray::class.java)
        textOf(response.statusCode.value(), response.headers, response.body)
    } catch (e: RestClientResponseException) {
        "$e " + textOf(e.statusCode.value(), e.responseHeaders, e.responseBodyAsByteArray)
    }
}

private fun WebClient.twin() = Twins.Client { asked, uri ->
    val request = method(HttpMethod.valueOf(asked.method)).uri(uri)
    if (asked.body.isNotEmpty()) request.bodyValue(asked.body)
    try {
        val response = request.retrieve().toEntity(ByteArray::class.java).block()!!
        textOf(response.statusCode.value(), response.headers, response.body)
    } catch (e: WebClientResponseException) {
        "$e " + textOf(e.statusCode.value(), e.headers, e.responseBodyAsByteArray)
    }
}

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest :
    FunSpec({
        val policy = RetryPolicy.HTTP.with { noBackoff() }
        val retries = HttpRetries.builder().policy(policy).build()

        for (factory in Factory.entries) {
            for (face in Face.entries) {
                test("$factory, $face: with and without Reprise alike") {
                    val bare = RestClient.builder().requestFactory(factory.make()).build()
                    Twins.differences(bare.twin(), factory.client(retries, face).twin(), byChance(factory)) shouldBe ""
                }
            }
        }

        for (connector in Connector.entries) {
            test("$connector: with and without Reprise alike") {
                val bare = WebClient.builder().clientConnector(connector.make()).build()
                val retried =
                    WebClient.builder().clientConnector(connector.make()).filter(RetryExchangeFilter(retries)).build()
                Twins.differences(bare.twin(), retried.twin(), byChance(connector)) shouldBe ""
            }
        }
    })
