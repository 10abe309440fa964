package dev.reprise.ktor.server

import dev.reprise.core.RetryPolicy
import dev.reprise.core.Upstream
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.plugins.ResponseException
import io.ktor.client.statement.HttpResponse
import io.ktor.http.HttpStatusCode
import io.ktor.http.content.OutgoingContent
import io.ktor.http.headersOf
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.install
import io.ktor.server.response.header
import io.ktor.server.response.respond
import java.util.function.Consumer

class RetryUpstreamTest :
    FunSpec({
        val marked = "x-should-retry"

        /** Asks a server whose handler is [serve], by a client without retries, and with [upstream] headers. */
        suspend fun Chain.answer(
            vararg upstream: Pair<String, String>,
            serve: suspend (ApplicationCall) -> Unit,
        ): HttpResponse {
            val url = server({ install(RetryUpstream) }, serve)
            return client { maxAttempts = 1 }.ask(url, *upstream)
        }

        test("a 5xx after a retrier gave up says that it was retried, one after a bug does not") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                val client = chain.client()
                chain.answer { it.passOn(client.ask(leaf)) }.headers[marked] shouldBe "false"
                chain.answer {
                    client.ask(leaf)
                    error("a bug")
                }.headers[marked].shouldBeNull()
            }
        }

        test("an exception decides before the last call: what a fallback recovered from is forgotten") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                val throwing = chain.client(throws = true)
                chain.answer { throwing.ask(leaf) }.headers[marked] shouldBe "false"
                chain.answer {
                    try {
                        throwing.ask(leaf)
                    } catch (e: ResponseException) {
                        throw IllegalStateException("with a cause", e)
                    }
                }.headers[marked] shouldBe "false"
                chain.answer {
                    runCatching { throwing.ask(leaf) }
                    throw IllegalStateException("without one")
                }.headers[marked].shouldBeNull()
            }
        }

        test("of a handler that answers itself the last call decides") {
            Chain().use { chain ->
                val (dead, well) = listOf(chain.leaf(), chain.leaf(HttpStatusCode.OK))
                val client = chain.client()
                chain.answer {
                    client.ask(well)
                    it.passOn(client.ask(dead))
                }.headers[marked] shouldBe "false"
                chain.answer {
                    client.ask(dead)
                    client.ask(well)
                    it.respond(HttpStatusCode.ServiceUnavailable)
                }.headers[marked].shouldBeNull()
            }
        }

        test("only a response of 500 or more is marked, and a handler's own header stays") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                val client = chain.client()
                for (status in listOf(HttpStatusCode.OK, HttpStatusCode.Conflict)) {
                    chain.answer {
                        client.ask(leaf)
                        it.respond(status)
                    }.headers[marked].shouldBeNull()
                }
                chain.answer {
                    it.response.header(marked, "true")
                    it.passOn(client.ask(leaf))
                }.headers[marked] shouldBe "true"
            }
        }

        test("a header that comes with the body stays alone: that of a response that is passed on whole") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                val client = chain.client()
                for (value in listOf("true", "false")) {
                    chain.answer {
                        val below = client.ask(leaf)
                        it.respond(
                            object : OutgoingContent.NoContent() {
                                override val status = below.status
                                override val headers = headersOf("X-Should-Retry", value)
                            },
                        )
                    }.headers.getAll(marked) shouldBe listOf(value)
                }
            }
        }

        test("a call that makes one attempt, by its policy or for a retry, leaves the retry to the caller") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                val once = chain.client { maxAttempts = 1 }
                chain.answer { it.passOn(once.ask(leaf)) }.headers[marked].shouldBeNull()
                val client = chain.client()
                chain.atLeaf.clear()
                chain.answer("amz-sdk-request" to "attempt=2") { it.passOn(client.ask(leaf)) }
                    .headers[marked].shouldBeNull()
                chain.atLeaf shouldContainExactly listOf("attempt=2")
            }
        }

        test("requests carry the number of the attempt from the second one on") {
            Chain().use { chain ->
                val leaf = chain.leaf()
                chain.client().ask(leaf)
                chain.atLeaf shouldContainExactly listOf(null, "attempt=2", "attempt=3")
            }
        }

        test("a listener is told of each request, and calls of other coroutines are not bound by it") {
            Chain().use { chain ->
                val told = mutableListOf<Upstream>()
                val leaf = chain.leaf()
                val url = chain.server({ install(RetryUpstream) { onRequest = Consumer { told += it } } }) {
                    it.respond(HttpStatusCode.OK)
                }
                val client = chain.client()
                client.ask(url)
                client.ask(url, "x-envoy-attempt-count" to "3")
                told shouldContainExactly listOf(Upstream(1), Upstream(3))
                client.ask(leaf)
                chain.atLeaf.size shouldBe 3
                Retrier(RetryPolicy.NONE).invoke { 1 } shouldBe 1
            }
        }
    })
