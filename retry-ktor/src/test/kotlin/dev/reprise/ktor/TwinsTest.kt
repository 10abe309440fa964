package dev.reprise.ktor

import dev.reprise.faults.Twins
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.plugins.auth.Auth
import io.ktor.client.plugins.auth.providers.BasicAuthCredentials
import io.ktor.client.plugins.auth.providers.basic
import io.ktor.client.plugins.compression.ContentEncoding
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsBytes
import io.ktor.http.HttpMethod
import io.ktor.util.toMap
import kotlinx.coroutines.runBlocking

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest :
    FunSpec({
        fun HttpClientConfig<*>.plugins() {
            install(ContentEncoding) { gzip() }
            install(Auth) { basic { credentials { BasicAuthCredentials("a", "b") } } }
        }

        fun twin(client: HttpClient) = Twins.Client { asked, uri ->
            runBlocking {
                val response = client.request("$uri") {
                    method = HttpMethod(asked.method)
                    if (asked.body.isNotEmpty()) setBody(asked.body)
                }
                val body = response.bodyAsBytes().toString(Charsets.ISO_8859_1)
                "${response.status} ${response.headers.toMap().toSortedMap()} $body"
            }
        }

        for (engine in Engine.entries) {
            test("$engine: with and without Reprise alike") {
                engine.client { plugins() }.use { bare ->
                    val retried = engine.client {
                        install(Retry) { policy = quick }
                        plugins()
                    }
                    retried.use { Twins.differences(twin(bare), twin(it)) shouldBe "" }
                }
            }
        }
    })
